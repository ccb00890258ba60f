import type { CallOptions } from "./command.ts";
import { HostError } from "./error.ts";

export interface LockOptions extends CallOptions {
  /** The time to wait for another holder; unlimited when not given. */
  readonly timeoutMs?: number;
  /** Whether the lock is shared: it excludes only exclusive holders. */
  readonly isShared?: boolean;
}

/** A lock, held until it is released, disposed of, or its process dies. */
export interface Lock extends AsyncDisposable {
  release(): Promise<void>;
}

export interface Locks {
  /**
   * Acquires the lock of a path: a file that is created when missing and never removed, since a lock on a
   * removed file excludes nobody. Excludes holders in other processes and in this one.
   */
  acquire(path: string, options?: LockOptions): Promise<Lock>;
}

export function heldByAnother(path: string, cause?: Error): HostError {
  const message = `Cannot lock ${path}: somebody else holds it`;
  return new HostError(message, { reason: "timed-out", cause });
}
