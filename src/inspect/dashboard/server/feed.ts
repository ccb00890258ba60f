// Tells each listener what it does not know yet, of every kind: each is followed once, whoever looks.

import type { Part } from "../../../base/program/run-all.ts";
import type { Listener } from "./kind-listener.ts";

/** A kind of objects that pages can be told of. */
export interface FedKind extends Part {
  /** Opens a listener, which has everything to learn; `onNews` is called when there is something to take. */
  open(onNews: () => void): Listener;
}

export class Feed implements Part {
  readonly name = "feed";
  readonly #kinds: readonly FedKind[];

  constructor(kinds: readonly FedKind[]) {
    this.#kinds = kinds;
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#kinds.map((kind) => kind.run(signal)));
  }

  open(onNews: () => void): Listener {
    const listeners = this.#kinds.map((kind) => kind.open(onNews));
    return {
      *take() {
        for (const each of listeners) yield* each.take();
      },
      close: () => {
        for (const each of listeners) each.close();
      },
    };
  }
}
