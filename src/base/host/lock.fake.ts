import { heldByAnother, type Lock, type LockOptions, type Locks } from "./lock.ts";

/** Locks among the users of this object, first come first served. */
export class FakeLocks implements Locks {
  /** The paths that are held, each with the callers that wait for it. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The number of holders of each path that is held shared. */
  readonly #sharing = new Map<string, number>();

  get held(): readonly string[] {
    return [...this.#waiting.keys()].toSorted();
  }

  async acquire(path: string, options: LockOptions = {}): Promise<Lock> {
    options.signal?.throwIfAborted();
    const queue = this.#waiting.get(path);
    const sharing = this.#sharing.get(path) ?? 0;
    if (queue === undefined) this.#waiting.set(path, []);
    else if (options.isShared !== true || sharing === 0 || queue.length > 0) {
      await this.#turn(queue, path, options);
    }
    if (options.isShared === true) {
      this.#sharing.set(path, (this.#sharing.get(path) ?? 0) + 1);
    }
    let held = true;
    const release = async (): Promise<void> => {
      if (held) this.#pass(path);
      held = false;
    };
    return { release, [Symbol.asyncDispose]: release };
  }

  #turn(queue: (() => void)[], path: string, { timeoutMs, signal }: LockOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (why: unknown): void => {
        queue.splice(queue.indexOf(turn), 1);
        stopWaiting();
        reject(why);
      };
      const turn = (): void => {
        stopWaiting();
        resolve();
      };
      const onAbort = (): void => leave(signal?.reason);
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => leave(heldByAnother(path)), timeoutMs);
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      queue.push(turn);
    });
  }

  #pass(path: string): void {
    const others = (this.#sharing.get(path) ?? 0) - 1;
    if (others > 0) this.#sharing.set(path, others);
    else this.#sharing.delete(path);
    if (others > 0) return;
    const next = this.#waiting.get(path)?.shift();
    if (next === undefined) this.#waiting.delete(path);
    else next();
  }
}
