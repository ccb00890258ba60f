// How everything in this folder, and every component, reaches another program.

/** What every call that waits takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ProcessOptions extends CallOptions {
  /** Kills the program and everything it started. */
  readonly signal?: AbortSignal | undefined;
  /** Written to the program's standard input, which is then closed. */
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** Open files the program inherits, as its descriptors 3, 4, … */
  readonly descriptors?: readonly number[];
  /** Added to the environment of this process; `undefined` takes a variable away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Path of the network namespace to run in. */
  readonly namespace?: string;
}

export interface RunOptions extends ProcessOptions {
  /** 60 seconds when not given; Infinity for a program that is meant to wait. */
  readonly timeoutMs?: number;
  /** For stdout and stderr together; 64 MiB when not given. A program that says more is killed. */
  readonly maxOutputBytes?: number;
}

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export type OutputStream = "stdout" | "stderr";

export interface StartOptions extends ProcessOptions {
  /** Without it the output is thrown away. */
  readonly onLine?: (line: string, stream: OutputStream) => void;
  /** How long the program may take to end by itself once it is told to; 5 seconds when not given. */
  readonly graceMs?: number;
  /** Let the kernel kill the program when this process dies, be it by kill -9. */
  readonly diesWithParent?: boolean;
}

export interface CommandExit {
  readonly code?: number;
  readonly signal?: NodeJS.Signals;
}

export interface RunningCommand {
  readonly pid: number;
  /** Never rejects. Everything the program started is gone as well. */
  readonly exited: Promise<CommandExit>;
  /** To the program and everything it started. */
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, then SIGKILL when the grace is over. */
  stop(): Promise<CommandExit>;
}

export interface Commands {
  /**
   * Runs a program to its end. Rejects with a CommandError when it fails, and with the signal's reason
   * when it is aborted.
   */
  run(command: readonly string[], options?: RunOptions): Promise<CommandOutput>;
  /** Starts a program that stays. Rejects when it cannot be started. */
  start(command: readonly string[], options?: StartOptions): Promise<RunningCommand>;
}

/** The same commands, run inside a network namespace. */
export function inNamespace(commands: Commands, namespace: string): Commands {
  return {
    run: (command, options) => commands.run(command, { ...options, namespace }),
    start: (command, options) => commands.start(command, { ...options, namespace }),
  };
}
