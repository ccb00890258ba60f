// What one page has not heard of yet about one kind.

import type { ApiObject } from "../../../api/client/objects.ts";
import { isShown, type Message, type ReadState } from "../model/wire.ts";

/** The most objects in one message, so that a page can show the first while it reads the next. */
const messageSize = 500;

/** Remembers only which keys changed, so that a slow page costs no more than their names. */
export interface Listener {
  take(): Generator<Message, void>;
  close(): void;
}

export interface Reading {
  readonly state: ReadState;
  readonly reason: string;
}

export interface Watched {
  readonly kind: string;
  readonly get: (key: string) => ApiObject | undefined;
  readonly reading: () => Reading;
}

export class KindListener {
  readonly #watched: Watched;
  readonly #onNews: () => void;
  #keys = new Set<string>();
  #isStateNew = false;

  constructor(watched: Watched, onNews: () => void) {
    this.#watched = watched;
    this.#onNews = onNews;
  }

  note(key: string): void {
    this.#keys.add(key);
    this.#onNews();
  }

  noteState(): void {
    this.#isStateNew = true;
    this.#onNews();
  }

  *take(): Generator<Message, void> {
    const { kind, reading } = this.#watched;
    const keys = [...this.#keys];
    this.#keys = new Set();
    const isStateNew = this.#isStateNew;
    this.#isStateNew = false;
    const { state, reason } = reading();
    if (isShown(state)) {
      for (let at = 0; at < keys.length; at += messageSize) {
        yield this.#change(keys.slice(at, at + messageSize));
      }
    }
    if (isStateNew) yield { type: "state", kind, state, ...(reason === "" ? {} : { reason }) };
  }

  #change(keys: readonly string[]): Message {
    const { kind, get } = this.#watched;
    const found = keys.map((key) => ({ key, object: get(key) }));
    return {
      type: "change",
      kind,
      put: found.flatMap(({ object }) => object ?? []),
      removed: found.flatMap(({ key, object }) => (object === undefined ? [key] : [])),
    };
  }
}
