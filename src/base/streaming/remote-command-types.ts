// exec and attach: the standard streams of a process, whatever the client speaks.
import type { Readable, Writable } from "node:stream";

/** Which streams the client asked for. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  /** Never with a terminal, which has one output. */
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
  /** Called now and whenever the client's terminal changes. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Settles when the client is gone. */
  readonly closed: Promise<void>;
  /** Tells the client how it ended, after everything that was written, and closes. */
  finish(outcome: Outcome): Promise<void>;
}

export type Outcome =
  | { readonly exitCode: number }
  /** The command did not run, or nobody knows how it ended. */
  | { readonly error: string };

/** The body of the error channel. */
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
