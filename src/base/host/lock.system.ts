import { type FileHandle, open } from "node:fs/promises";
import { systemCode } from "../program/errors.ts";
import type { Commands } from "./command.ts";
import { CommandError } from "./error.ts";
import { heldByAnother, type LockOptions, type Locks } from "./lock.ts";

/** The exit code for "held by another", distinct from the codes flock uses for its own errors. */
const takenByAnother = 75;

/**
 * flock(2) belongs to the open file, not to the process that asked for it. So a short-lived flock(1)
 * that inherits our file takes the lock for us, and waits for it without polling; closing the file, or
 * dying, gives it back. See docs/decisions/0003-the-machine.md.
 */
export function systemLocks(commands: Commands): Locks {
  return {
    async acquire(path, options = {}) {
      options.signal?.throwIfAborted();
      const file = await openForLocking(path);
      try {
        await commands.run(["flock", ...waiting(options), "3"], {
          descriptors: [file.fd],
          signal: options.signal,
          timeoutMs: Infinity,
        });
      } catch (error) {
        await file.close();
        throw isTaken(error) ? heldByAnother(path, error) : error;
      }
      const release = (): Promise<void> => file.close();
      return { release, [Symbol.asyncDispose]: release };
    },
  };
}

/** Opens a path for locking; a directory can be locked as well, but not opened for writing. */
async function openForLocking(path: string): Promise<FileHandle> {
  try {
    return await open(path, "a", 0o600);
  } catch (error) {
    if (systemCode(error) !== "EISDIR") throw error;
    return open(path, "r");
  }
}

function waiting({ timeoutMs, isShared }: LockOptions): readonly string[] {
  const kind = isShared === true ? ["--shared"] : [];
  const code = [...kind, "--conflict-exit-code", String(takenByAnother)];
  return timeoutMs === undefined ? code : [...code, "--timeout", String(timeoutMs / 1000)];
}

function isTaken(error: unknown): error is CommandError {
  return error instanceof CommandError && error.exitCode === takenByAnother;
}
