// Changes of sets and maps for one transaction.

import type { CommandWriter } from "./commands.ts";
import type { Element } from "./elements.ts";

export class Batch {
  readonly #removed = new Map<string, string[]>();
  readonly #added = new Map<string, string[]>();
  /** The number of elements added less those removed. */
  growth = 0;

  /** Removes elements that are no longer wanted, and adds those that are missing. */
  replace(old: readonly Element[], wanted: readonly Element[]): void {
    if (old.length === 0) for (const element of wanted) this.add(element);
    else if (wanted.length === 0) for (const element of old) this.remove(element);
    else {
      const [there, kept] = [byName(old), byName(wanted)];
      for (const [name, element] of there) {
        if (kept.get(name)?.rest !== element.rest) this.remove(element);
      }
      for (const [name, element] of kept) {
        if (there.get(name)?.rest !== element.rest) this.add(element);
      }
    }
  }

  add({ set, key, rest }: Element): void {
    this.growth++;
    push(this.#added, set, rest === "" ? key : `${key} ${rest}`);
  }

  remove({ set, key }: Element): void {
    this.growth--;
    push(this.#removed, set, key);
  }

  commands(write: CommandWriter): readonly string[] {
    return [
      ...[...this.#removed].flatMap(([set, keys]) => write.deleteElements(set, keys)),
      ...[...this.#added].flatMap(([set, elements]) => write.addElements(set, elements)),
    ];
  }
}

function byName(elements: readonly Element[]): ReadonlyMap<string, Element> {
  return new Map(elements.map((element) => [`${element.set} ${element.key}`, element]));
}

function push(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
