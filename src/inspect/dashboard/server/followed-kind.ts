// A kind of the API that pages are told of.

import { isForbidden, isNotFound, isUnauthorized } from "../../../api/client/errors.ts";
import { Informer, type InformerSettings } from "../../../api/client/informer.ts";
import { type ApiObject, keyOf } from "../../../api/client/objects.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { isShown, type ReadState } from "../model/wire.ts";
import type { FedKind } from "./feed.ts";
import { KindListener, type Listener, type Reading } from "./kind-listener.ts";
import type { Source } from "./sources.ts";

/** A kind of the API, followed by one watch. */
export class FollowedKind implements FedKind {
  readonly name: string;
  readonly informer: Informer<ApiObject>;
  readonly #listeners = new Set<KindListener>();
  #state: ReadState = "reading";
  #reason = "";

  constructor({ kind, resource, selection, transform }: Source, settings: InformerSettings) {
    this.name = kind;
    const onTry = (failure?: unknown): void => this.#judge(failure);
    this.informer = new Informer(resource, { ...selection, transform, onTry }, settings);
    this.informer.subscribe((key) => {
      for (const listener of this.#listeners) listener.note(key);
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.informer.run(signal);
  }

  /** The objects, of the type that their source has; none if they may not be read. */
  list(): readonly unknown[] {
    return isShown(this.#state) ? this.informer.list() : [];
  }

  open(onNews: () => void): Listener {
    const listener = new KindListener(
      { kind: this.name, get: (key) => this.informer.get(key), reading: () => this.#reading() },
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

export function followAll(
  sources: readonly Source[],
  settings: InformerSettings,
): readonly FollowedKind[] {
  return sources.map((source) => new FollowedKind(source, settings));
}
