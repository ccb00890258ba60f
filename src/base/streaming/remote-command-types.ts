// exec and attach: the standard streams of a process, independent of the client's protocol.
import type { Readable, Writable } from "node:stream";

/** The streams that the client asked for. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  /** Whether stderr is wanted; never with a terminal, which has one output. */
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export interface RemoteCommand {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Registers a listener, called with the current size and whenever the client's terminal changes. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Settles when the client is gone. */
  readonly closed: Promise<void>;
  /** Sends the outcome to the client, after all output, and closes the connection. */
  finish(outcome: Outcome): Promise<void>;
}

export type Outcome =
  | { readonly exitCode: number }
  /** The reason why the command did not run, or why its exit code is unknown. */
  | { readonly error: string };

/** Returns what clients without a version of the protocol are told: nothing when the command succeeded. */
export function outcomeText(outcome: Outcome): string {
  if ("error" in outcome) return outcome.error;
  if (outcome.exitCode === 0) return "";
  return `command terminated with non-zero exit code: exit status ${outcome.exitCode}`;
}

/** The Status object that is sent on the error channel. */
export function outcomeStatus(outcome: Outcome): object {
  if ("error" in outcome) {
    return {
      metadata: {},
      status: "Failure",
      reason: "InternalError",
      message: outcome.error,
      code: 500,
    };
  }
  if (outcome.exitCode === 0) return { metadata: {}, status: "Success" };
  const code = String(outcome.exitCode);
  return {
    metadata: {},
    status: "Failure",
    reason: "NonZeroExitCode",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: "ExitCode", message: code }] },
  };
}
