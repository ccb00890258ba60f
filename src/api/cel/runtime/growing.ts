// Lists and maps that a loop collects into. They grow in place, since copying them in every turn would make
// the work of a loop quadratic; nobody but the loop sees them before they are finished.
import { PlainList, PlainMap, type Value } from "./value.ts";

export class GrowingList extends PlainList {
  readonly #elements: Value[];

  constructor() {
    const elements: Value[] = [];
    super(elements);
    this.#elements = elements;
  }

  add(values: Iterable<Value>): void {
    for (const value of values) this.#elements.push(value);
  }
}

export class GrowingMap extends PlainMap {}

/** Returns the finished list of a loop. */
export function grown(value: Value): Value {
  if (value instanceof GrowingList) return new PlainList(value.elements);
  return value instanceof GrowingMap ? value.finished() : value;
}
