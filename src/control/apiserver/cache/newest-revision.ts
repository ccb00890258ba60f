// Asks the store for its newest revision on behalf of many.
import type { Revision } from "../../store/store.ts";

/**
 * One question is under way at a time. Who comes meanwhile shares the next one: an answer counts only
 * for those who were there before the question was put.
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
