/** The work that is under way in the background. */
export class Tasks {
  readonly #running = new Set<Promise<void>>();

  /** Follows the work; a failure is handed to `failed`. */
  follow(work: Promise<void>, failed: (error: unknown) => void): void {
    const task = work.catch(failed).finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  /** Resolves when all of it has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
