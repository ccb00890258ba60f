// The decoded objects that all nodes of a process share. A thousand nodes see the same events; each has its own
// watch, but the text is decoded once, and one object stands for all.

import { readJson } from "../../base/json/read-json.ts";
import { isObject } from "../../base/json/value.ts";

/** The number of texts whose result is remembered: what arrives at all nodes arrives within moments. */
const rememberedTexts = 4_096;

export class SharedObjects {
  readonly #texts = new Map<string, unknown>();
  readonly #objects = new Map<string, WeakRef<object>>();
  readonly #gone = new FinalizationRegistry<string>((key) => {
    if (this.#objects.get(key)?.deref() === undefined) this.#objects.delete(key);
  });

  /** Decodes a text: the events of watches, the items of lists. What it returns is shared, and not to be changed. */
  readonly read = (text: string): unknown => {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const value = readJson(text);
    if (!isObject(value)) return value;
    const { object, items } = value;
    if (Array.isArray(items)) return { ...value, items: items.map((item) => this.#same(item)) };
    if (!isObject(object)) return value;
    const event = { ...value, object: this.#same(object) };
    this.#remember(text, event);
    return event;
  };

  #remember(text: string, value: unknown): void {
    this.#texts.set(text, value);
    if (this.#texts.size <= rememberedTexts) return;
    const [oldest] = this.#texts.keys();
    if (oldest !== undefined) this.#texts.delete(oldest);
  }

  /** Returns the object that others hold in place of this one, which is of the same version. */
  #same(object: unknown): unknown {
    if (!isObject(object) || !isObject(object["metadata"])) return object;
    const { uid, resourceVersion, managedFields: _, ...metadata } = object["metadata"];
    if (typeof uid !== "string" || typeof resourceVersion !== "string") return object;
    const key = `${uid}/${resourceVersion}`;
    const known = this.#objects.get(key)?.deref();
    if (known !== undefined) return known;
    // Nodes have no use for managedFields, which are the larger half of many objects.
    const kept = { ...object, metadata: { ...metadata, uid, resourceVersion } };
    this.#objects.set(key, new WeakRef(kept));
    this.#gone.register(kept, key);
    return kept;
  }
}
