import { basename, dirname } from "node:path";
import { tryToWatch } from "../machine/watch.system.ts";

/** A notifier for possible changes of a file. */
export interface Changes extends Disposable {
  /** Resolves at the next change, at once when there was one since the last call. */
  next(): Promise<void>;
  readonly notify: () => void;
}

/** The interval that finds changes without a notification from the kernel. */
const checkMs = 1000;

/** Watches the file's directory, since the file may be rotated and replaced by another. */
export function openChanges(path: string): Changes {
  let changed = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    changed = true;
    wake?.();
  };
  const timer = setInterval(notify, checkMs);
  const watcher = tryToWatch(dirname(path), (name) => {
    if (name === null || name.startsWith(basename(path))) notify();
  });
  return {
    notify,
    async next() {
      await new Promise<void>((resolve) => {
        if (changed) resolve();
        else wake = resolve;
      });
      changed = false;
      wake = undefined;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}
