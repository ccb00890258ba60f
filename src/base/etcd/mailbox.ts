// A queue of messages that have arrived but not been consumed, up to a limit.

export class Mailbox<T> {
  readonly #limit: number;
  readonly #items: T[] = [];
  #size = 0;
  #wake: () => void = () => undefined;
  #end: { readonly error: Error | undefined } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds an item, which is never lost; returns whether there is room for more. */
  put(item: T, size: number): boolean {
    if (this.#end !== undefined) return false;
    this.#items.push(item);
    this.#size += size;
    this.#wake();
    return this.#size <= this.#limit;
  }

  /** Ends the queue; an error is thrown once everything before it has been taken. */
  close(error?: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const taken = this.#items.splice(0);
      this.#size = 0;
      yield* taken;
      if (this.#items.length > 0) continue;
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
