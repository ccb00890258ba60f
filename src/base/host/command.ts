// The interface by which this folder and every component run other programs.

/** The options of every call that waits. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ProcessOptions extends CallOptions {
  /** The signal whose abort kills the program and everything it started. */
  readonly signal?: AbortSignal | undefined;
  /** The program's standard input, which is closed after it. */
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** The open files that the program inherits, as its descriptors 3, 4, … */
  readonly descriptors?: readonly number[];
  /** The variables added to the environment of this process; `undefined` removes one. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The path of the network namespace to run in. */
  readonly namespace?: string;
}

export interface RunOptions extends ProcessOptions {
  /** The timeout: 60 seconds when not given; Infinity for a program that is meant to wait. */
  readonly timeoutMs?: number;
  /** The limit for stdout and stderr together, beyond which the program is killed: 64 MiB when not given. */
  readonly maxOutputBytes?: number;
}

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export type OutputStream = "stdout" | "stderr";

export interface StartOptions extends ProcessOptions {
  /** The callback for each line of output; without it the output is discarded. */
  readonly onLine?: (line: string, stream: OutputStream) => void;
  /** The time the program has to end by itself after SIGTERM; 5 seconds when not given. */
  readonly graceMs?: number;
  /** Whether the kernel kills the program when this process dies, be it by kill -9. */
  readonly diesWithParent?: boolean;
}

export interface CommandExit {
  readonly code?: number;
  readonly signal?: NodeJS.Signals;
}

export interface RunningCommand {
  readonly pid: number;
  /** Resolves when the program and everything it started has ended. Never rejects. */
  readonly exited: Promise<CommandExit>;
  /** Signals the program and everything it started. */
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, then SIGKILL when the grace period is over. */
  stop(): Promise<CommandExit>;
}

export interface Commands {
  /**
   * Runs a program to its end. Rejects with a CommandError when it fails, and with the signal's reason
   * when it is aborted.
   */
  run(command: readonly string[], options?: RunOptions): Promise<CommandOutput>;
  /** Starts a long-running program. Rejects when it cannot be started. */
  start(command: readonly string[], options?: StartOptions): Promise<RunningCommand>;
}

/** The same commands, run inside a network namespace. */
export function inNamespace(commands: Commands, namespace: string): Commands {
  return {
    run: (command, options) => commands.run(command, { ...options, namespace }),
    start: (command, options) => commands.start(command, { ...options, namespace }),
  };
}
