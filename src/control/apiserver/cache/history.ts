// The latest changes of one collection, for watchers that start a little in the past.
import type { Revision } from "../../store/store.ts";
import type { Item } from "./item.ts";

export interface CacheEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: Revision;
  /** The new state; for a deletion the last state, under the revision of the deletion. */
  readonly item: Item;
  readonly previous: Item | undefined;
}

const maximumEvents = 2048;
const maximumBytes = 4 * 1024 * 1024;

export class History {
  /** The revision after which every change is in the history. */
  complete: Revision;
  #events: CacheEvent[] = [];
  /** The index of the first event; those before it are forgotten and cut off in one go. */
  #first = 0;
  #bytes = 0;

  constructor(complete: Revision) {
    this.complete = complete;
  }

  add(event: CacheEvent): void {
    this.#events.push(event);
    this.#bytes += event.item.bytes.length;
    while (this.#events.length - this.#first > maximumEvents || this.#bytes > maximumBytes) {
      const oldest = this.#events[this.#first++] as CacheEvent;
      this.#bytes -= oldest.item.bytes.length;
      this.complete = oldest.revision;
    }
    if (this.#first > maximumEvents) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Returns the changes after a revision; `undefined` when some of them are forgotten. */
  after(revision: Revision): readonly CacheEvent[] | undefined {
    if (revision < this.complete) return undefined;
    let index = this.#events.length;
    while (index > this.#first && (this.#events[index - 1] as CacheEvent).revision > revision)
      index--;
    return this.#events.slice(index);
  }
}
