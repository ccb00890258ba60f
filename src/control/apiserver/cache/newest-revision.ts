// Reads the newest revision of the store on behalf of many callers.
import type { Revision } from "../../store/store.ts";

/**
 * One read is under way at a time. Callers that come meanwhile share the next one, since an answer counts
 * only for those who asked before the read started.
 */
export class NewestRevision {
  readonly #ask: () => Promise<Revision>;
  #underWay: Promise<Revision> | undefined;
  #next: Promise<Revision> | undefined;

  constructor(ask: () => Promise<Revision>) {
    this.#ask = ask;
  }

  get(): Promise<Revision> {
    if (this.#underWay === undefined) return this.#put();
    this.#next ??= this.#underWay.then(
      () => this.#putNext(),
      () => this.#putNext(),
    );
    return this.#next;
  }

  #putNext(): Promise<Revision> {
    this.#next = undefined;
    return this.#put();
  }

  #put(): Promise<Revision> {
    const question = this.#ask().finally(() => {
      if (this.#underWay === question) this.#underWay = undefined;
    });
    this.#underWay = question;
    return question;
  }
}
