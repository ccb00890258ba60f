// The entries of a document, which are made one after the other.
import type { Json } from "./definitions.ts";

/** Entries by name, sorted; each is made when it is its turn. */
export type Entries = ReadonlyMap<string, () => Json>;

export function entriesOf(all: readonly (readonly [name: string, make: () => Json])[]): Entries {
  return new Map(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the text of the object that has these entries. */
export async function joinJson(entries: Entries, pause: () => Promise<void>): Promise<string> {
  const parts: string[] = [];
  for (const [name, make] of entries) {
    parts.push(`${JSON.stringify(name)}:${JSON.stringify(make())}`);
    await pause();
  }
  return `{${parts.join(",")}}`;
}
