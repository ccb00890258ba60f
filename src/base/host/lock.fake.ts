import { heldByAnother, type Lock, type LockOptions, type Locks } from "./lock.ts";

/** Locks among the holders of this object, first come first served. */
export class FakeLocks implements Locks {
  /** Paths that are held, each with those that wait for it. */
  readonly #waiting = new Map<string, (() => void)[]>();

  get held(): readonly string[] {
    return [...this.#waiting.keys()].toSorted();
  }

  async acquire(path: string, options: LockOptions = {}): Promise<Lock> {
    options.signal?.throwIfAborted();
    const queue = this.#waiting.get(path);
    if (queue === undefined) this.#waiting.set(path, []);
    else await this.#turn(queue, path, options);
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
    const next = this.#waiting.get(path)?.shift();
    if (next === undefined) this.#waiting.delete(path);
    else next();
  }
}
