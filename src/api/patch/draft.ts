// A copy-on-write document: each object or list in it is copied when it is changed for the first time, and
// changed in place from then on. So the original stays as it was, and many changes cost no more than one.

import { isObject, type JsonObject } from "../../base/json/value.ts";
import { type Container, indexIn, isList, missing, type Pointer, valueAt } from "./pointer.ts";

export class Draft {
  #root: unknown;
  readonly #own = new WeakSet<object>();

  constructor(document: unknown) {
    this.#root = document;
  }

  get value(): unknown {
    return this.#root;
  }

  /** The value at a pointer; undefined when there is none. */
  at(pointer: Pointer): unknown {
    return valueAt(this.#root, pointer);
  }

  /** Adds a value: in a list it is inserted, in an object it replaces the field. */
  add(pointer: Pointer, value: unknown): void {
    const place = this.#place(pointer);
    if (place === undefined) this.#root = value;
    else if (!isList(place.container)) place.container[place.step] = value;
    else {
      const { length } = place.container;
      const index = place.step === "-" ? length : indexIn(length + 1, place.step);
      if (index === undefined) throw missing(pointer);
      (place.container as unknown[]).splice(index, 0, value);
    }
  }

  /** Replaces a value. Like Kubernetes, and unlike the RFC, the field need not exist yet. */
  set(pointer: Pointer, value: unknown): void {
    const place = this.#place(pointer);
    if (place === undefined) this.#root = value;
    else if (isList(place.container)) {
      const index = indexIn(place.container.length, place.step);
      if (index === undefined) throw missing(pointer);
      (place.container as unknown[])[index] = value;
    } else place.container[place.step] = value;
  }

  /** Removes a value, and returns it. */
  remove(pointer: Pointer): unknown {
    const value = this.at(pointer);
    const place = value === undefined ? undefined : this.#place(pointer);
    if (place === undefined) throw missing(pointer);
    if (isList(place.container)) {
      const index = indexIn(place.container.length, place.step) ?? 0;
      (place.container as unknown[]).splice(index, 1);
    } else delete place.container[place.step];
    return value;
  }

  /** The container of a pointer's last step, copied for changes; undefined for the whole document. */
  #place(pointer: Pointer): { container: Container; step: string } | undefined {
    const step = pointer.at(-1);
    if (step === undefined) return undefined;
    let container = this.#owned(this.#root, pointer);
    this.#root = container;
    for (const inner of pointer.slice(0, -1)) {
      const owned = this.#owned(valueAt(container, [inner]), pointer);
      if (isList(container)) {
        (container as unknown[])[indexIn(container.length, inner) ?? 0] = owned;
      } else container[inner] = owned;
      container = owned;
    }
    return { container, step };
  }

  #owned(value: unknown, pointer: Pointer): Container {
    if (!Array.isArray(value) && !isObject(value)) throw missing(pointer);
    if (this.#own.has(value)) return value;
    const copy: Container = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    this.#own.add(copy);
    return copy;
  }
}

/** Whether a value is nested deeper than that; iterative, since a recursion could overflow the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== "object" || each === null) continue;
      for (const inner of Object.values(each as JsonObject)) next.push(inner);
    }
    level = next;
  }
  return false;
}
