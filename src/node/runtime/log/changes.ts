import { basename, dirname } from "node:path";
import { tryToWatch } from "../machine/watch.ts";

/** Tells that a file may have changed. */
export interface Changes extends Disposable {
  /** Resolves at the next change, at once when there was one since the last call. */
  next(): Promise<void>;
  readonly notify: () => void;
}

/** Changes that the kernel did not tell of are found this late. */
const checkMs = 1000;

/** The directory is watched, since the file may be put aside and another take its place. */
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
