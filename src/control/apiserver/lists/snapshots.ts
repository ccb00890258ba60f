// Lists that clients read page by page, kept for a while so that the next page comes from the same
// state without asking the store.
import type { Revision } from "../../store/store.ts";
import type { Item } from "../cache/item.ts";

const maximum = 32;

export class Snapshots {
  /** The snapshots, in the order of their last use. */
  readonly #lists = new Map<string, readonly Item[]>();

  keep(id: SnapshotId, items: readonly Item[]): void {
    const key = keyOf(id);
    this.#lists.delete(key);
    this.#lists.set(key, items);
    if (this.#lists.size <= maximum) return;
    for (const oldest of this.#lists.keys()) {
      this.#lists.delete(oldest);
      break;
    }
  }

  find(id: SnapshotId): readonly Item[] | undefined {
    const items = this.#lists.get(keyOf(id));
    if (items !== undefined) this.keep(id, items);
    return items;
  }
}

export interface SnapshotId {
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly revision: Revision;
}

function keyOf({ collection, namespace = "*", revision }: SnapshotId): string {
  return `${collection} ${namespace} ${revision}`;
}
