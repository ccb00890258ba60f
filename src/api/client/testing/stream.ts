/** A stream of chunks, pushed from one side and pulled from the other. */
export class Stream implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = [];
  #wake: () => void = () => undefined;
  #ended: { readonly error: Error | undefined } | undefined;
  readonly #onClose: () => void;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  push(chunk: string): void {
    this.#chunks.push(Buffer.from(chunk));
    this.#wake();
  }

  end(error?: Error): void {
    this.#ended ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, undefined> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#ended === undefined) await this.#news();
        else if (this.#ended.error !== undefined) throw this.#ended.error;
        else return undefined;
      }
    } finally {
      this.#onClose();
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
