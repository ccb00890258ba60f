// Subscribers that each ask for one value of a field, such as the pods of one node. A change is led to those
// whose value the item has or had; the others are not asked, however many they are.
import type { CacheEvent } from "./history.ts";
import type { Item } from "./item.ts";

export interface SubscriberKey {
  /** The name of the field, with whatever else its values depend on. */
  readonly field: string;
  readonly value: string;
  /** Returns the values of the field; all keys of one field return the same. */
  valuesOf(item: Item): string | readonly string[];
}

interface Field<Subscriber> {
  readonly valuesOf: SubscriberKey["valuesOf"];
  readonly byValue: Map<string, Set<Subscriber>>;
}

export class KeyedSubscribers<Subscriber> {
  readonly #fields = new Map<string, Field<Subscriber>>();

  add(subscriber: Subscriber, key: SubscriberKey): void {
    const field = this.#fields.get(key.field) ?? {
      valuesOf: (item) => key.valuesOf(item),
      byValue: new Map<string, Set<Subscriber>>(),
    };
    this.#fields.set(key.field, field);
    const present = field.byValue.get(key.value) ?? new Set();
    field.byValue.set(key.value, present.add(subscriber));
  }

  delete(subscriber: Subscriber, { field: name, value }: SubscriberKey): void {
    const field = this.#fields.get(name);
    const present = field?.byValue.get(value);
    if (field === undefined || present?.delete(subscriber) !== true) return;
    if (present.size === 0) field.byValue.delete(value);
    if (field.byValue.size === 0) this.#fields.delete(name);
  }

  *all(): Generator<Subscriber, undefined> {
    for (const { byValue } of this.#fields.values()) {
      for (const present of byValue.values()) yield* present;
    }
    return undefined;
  }

  /** Returns the subscribers that changes may concern, each with these changes in order. */
  concerned(events: readonly CacheEvent[]): ReadonlyMap<Subscriber, readonly CacheEvent[]> {
    const found = new Map<Subscriber, CacheEvent[]>();
    for (const field of this.#fields.values()) {
      for (const event of events) {
        for (const value of valuesBeforeAndAfter(event, field)) {
          for (const subscriber of field.byValue.get(value) ?? []) {
            const own = found.get(subscriber);
            if (own === undefined) found.set(subscriber, [event]);
            else own.push(event);
          }
        }
      }
    }
    return found;
  }
}

function valuesBeforeAndAfter<S>(
  { type, item, previous }: CacheEvent,
  { valuesOf }: Field<S>,
): ReadonlySet<string> {
  const before = previous === undefined ? [] : valuesOf(previous);
  // The item of a deletion is the previous one under another revision.
  const after = type === "DELETED" && previous !== undefined ? [] : valuesOf(item);
  return new Set([before, after].flat());
}
