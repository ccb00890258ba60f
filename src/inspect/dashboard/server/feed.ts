// Follows kinds with one watch each, whoever looks, and tells each listener what it does not know yet.

import { isForbidden, isNotFound, isUnauthorized } from "../../../api/client/errors.ts";
import { Informer, type InformerSettings } from "../../../api/client/informer.ts";
import { type ApiObject, keyOf } from "../../../api/client/objects.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Part } from "../../../base/program/run-all.ts";
import { isShown, type Message, type ReadState } from "../model/wire.ts";
import type { Source } from "./sources.ts";

/** The most objects in one message, so that a page can show the first while it reads the next. */
const messageSize = 500;

export class Feed implements Part {
  readonly name = "feed";
  readonly #kinds: readonly FollowedKind[];

  constructor(sources: readonly Source[], settings: InformerSettings) {
    this.#kinds = sources.map((source) => new FollowedKind(source, settings));
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#kinds.map((kind) => kind.informer.run(signal)));
  }

  /** Opens a listener, which has everything to learn; `onNews` is called when there is something to take. */
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

/** Remembers only which keys changed, so that a slow page costs no more than their names. */
export interface Listener {
  take(): Generator<Message, void>;
  close(): void;
}

class FollowedKind {
  readonly informer: Informer<ApiObject>;
  readonly #kind: string;
  readonly #listeners = new Set<KindListener>();
  #state: ReadState = "reading";
  #reason = "";

  constructor({ kind, resource, selection, transform }: Source, settings: InformerSettings) {
    this.#kind = kind;
    const onTry = (failure?: unknown): void => this.#judge(failure);
    this.informer = new Informer(resource, { ...selection, transform, onTry }, settings);
    this.informer.subscribe((key) => {
      for (const listener of this.#listeners) listener.note(key);
    });
  }

  open(onNews: () => void): Listener {
    const listener = new KindListener(
      { kind: this.#kind, get: (key) => this.informer.get(key), reading: () => this.#reading() },
      onNews,
    );
    this.#listeners.add(listener);
    this.#tellAll(listener);
    return {
      take: () => listener.take(),
      close: () => void this.#listeners.delete(listener),
    };
  }

  #reading(): Reading {
    return { state: this.#state, reason: this.#reason };
  }

  #judge(failure: unknown): void {
    const state = failure === undefined ? "current" : stateAfter(failure);
    const wasShown = isShown(this.#state);
    if (state === this.#state) return;
    this.#state = state;
    this.#reason = failure === undefined ? "" : messageOf(failure);
    for (const listener of this.#listeners) {
      // Pages have forgotten what they were not to show; the informer itself sees no change of it.
      if (!wasShown && isShown(state)) this.#tellAll(listener);
      listener.noteState();
    }
  }

  #tellAll(listener: KindListener): void {
    for (const object of this.informer.list()) listener.note(keyOf(object));
    listener.noteState();
  }
}

function stateAfter(failure: unknown): ReadState {
  if (isForbidden(failure) || isUnauthorized(failure)) return "refused";
  return isNotFound(failure) ? "absent" : "failing";
}

interface Reading {
  readonly state: ReadState;
  readonly reason: string;
}

interface Watched {
  readonly kind: string;
  readonly get: (key: string) => ApiObject | undefined;
  readonly reading: () => Reading;
}

class KindListener {
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
