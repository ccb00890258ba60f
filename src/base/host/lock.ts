import type { CallOptions } from "./command.ts";
import { HostError } from "./error.ts";

export interface LockOptions extends CallOptions {
  /** How long to wait for another holder; for ever when not given. */
  readonly timeoutMs?: number;
  /** Excludes only those that do not share it. */
  readonly isShared?: boolean;
}

/** Held until it is released, disposed of, or its process dies. */
export interface Lock extends AsyncDisposable {
  release(): Promise<void>;
}

export interface Locks {
  /**
   * Takes the lock of this name: a path, made when missing and never removed, since a lock on a removed
   * file excludes nobody. Excludes holders in other processes and in this one.
   */
  acquire(path: string, options?: LockOptions): Promise<Lock>;
}

export function heldByAnother(path: string, cause?: Error): HostError {
  const message = `Cannot lock ${path}: somebody else holds it`;
  return new HostError(message, { reason: "timed-out", cause });
}
