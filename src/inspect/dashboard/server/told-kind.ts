// A kind of which the server itself makes the objects: checks that it ran, addresses that moved.

import type { ApiObject } from "../../../api/client/objects.ts";
import type { ReadState } from "../model/wire.ts";
import type { FedKind } from "./feed.ts";
import { KindListener, type Listener } from "./kind-listener.ts";

/** An object without a namespace, known by its name. */
export interface ToldObject {
  readonly name: string;
}

export class ToldKind<T extends ToldObject> implements FedKind {
  readonly name: string;
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<KindListener>();
  readonly #work: (signal: AbortSignal) => Promise<void>;
  #state: ReadState;
  #reason = "";

  /** `work` keeps the objects up to date; without it they are there to be changed at any time. */
  constructor(name: string, work?: (signal: AbortSignal) => Promise<void>) {
    this.name = name;
    this.#state = work === undefined ? "current" : "reading";
    this.#work = work ?? (() => Promise.resolve());
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#work(signal);
  }

  get(name: string): T | undefined {
    return this.#objects.get(name);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  put(object: T): void {
    this.#objects.set(object.name, object);
    for (const listener of this.#listeners) listener.note(object.name);
  }

  remove(name: string): void {
    if (!this.#objects.delete(name)) return;
    for (const listener of this.#listeners) listener.note(name);
  }

  setState(state: ReadState, reason = ""): void {
    if (state === this.#state && reason === this.#reason) return;
    this.#state = state;
    this.#reason = reason;
    for (const listener of this.#listeners) listener.noteState();
  }

  open(onNews: () => void): Listener {
    const listener = new KindListener(
      {
        kind: this.name,
        get: (key) => wireObject(this.#objects.get(key)),
        reading: () => ({ state: this.#state, reason: this.#reason }),
      },
      onNews,
    );
    this.#listeners.add(listener);
    for (const name of this.#objects.keys()) listener.note(name);
    listener.noteState();
    return {
      take: () => listener.take(),
      close: () => void this.#listeners.delete(listener),
    };
  }
}

/** The object as pages get it: with metadata, by which they know it. */
function wireObject<T extends ToldObject>(object: T | undefined): (T & ApiObject) | undefined {
  if (object === undefined) return undefined;
  const { name } = object;
  return { ...object, apiVersion: "dashboard", kind: "Told", metadata: { name } };
}
