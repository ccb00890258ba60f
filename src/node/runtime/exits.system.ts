// The exits of containers, as conmon records them in files.
import type { FSWatcher } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/program/errors.ts";
import { tryToWatch } from "./machine/watch.system.ts";

export interface Exit {
  readonly code: number;
  readonly at: Date;
}

/** The interval that finds exits without a file, since conmon is gone as well. */
const checkMs = 3000;

/** The interval that finds all exits when the directory cannot be watched. */
const checkUnwatchedMs = 100;

export class Exits {
  readonly #directory: string;
  readonly #watcher: FSWatcher | undefined;
  readonly #waiting = new Map<string, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    this.#watcher = tryToWatch(directory, (name) => {
      if (name !== null) this.wake(name);
    });
  }

  async read(id: string): Promise<Exit | undefined> {
    const path = join(this.#directory, id);
    try {
      const [text, { mtime }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
      return { code: Number(text), at: mtime };
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Calls back whenever the container may have exited, until it is disposed of. */
  notify(id: string, look: () => void): Disposable {
    const set = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, set.add(look));
    const pause = this.#watcher === undefined ? checkUnwatchedMs : checkMs;
    this.#timer ??= setInterval(() => this.#wakeAll(), pause);
    return {
      [Symbol.dispose]: () => {
        set.delete(look);
        if (set.size === 0 && this.#waiting.get(id) === set) this.#waiting.delete(id);
        if (this.#waiting.size === 0) this.#stopTimer();
      },
    };
  }

  wake(id: string): void {
    for (const look of this.#waiting.get(id) ?? []) look();
  }

  close(): void {
    this.#watcher?.close();
    this.#stopTimer();
  }

  #wakeAll(): void {
    for (const id of this.#waiting.keys()) this.wake(id);
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
