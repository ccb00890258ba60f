// Lists that clients read page by page, kept until the store forgets their revision, so that the next page comes
// from the same state without asking the store.
import type { Revision } from "../../store/store.ts";
import type { Item } from "../cache/item.ts";

const maximum = 32;

export class Snapshots {
  /** The snapshots, in the order of their last use. */
  readonly #lists = new Map<string, Snapshot>();

  keep(id: SnapshotId, items: readonly Item[]): void {
    const key = keyOf(id);
    this.#lists.delete(key);
    this.#lists.set(key, { revision: id.revision, items });
    if (this.#lists.size <= maximum) return;
    for (const oldest of this.#lists.keys()) {
      this.#lists.delete(oldest);
      break;
    }
  }

  find(id: SnapshotId): readonly Item[] | undefined {
    const items = this.#lists.get(keyOf(id))?.items;
    if (items !== undefined) this.keep(id, items);
    return items;
  }

  /** Drops the lists of revisions before this one: a client that reads on must learn that its list is old. */
  forget(before: Revision): void {
    for (const [key, { revision }] of this.#lists) if (revision < before) this.#lists.delete(key);
  }
}

interface Snapshot {
  readonly revision: Revision;
  readonly items: readonly Item[];
}

export interface SnapshotId {
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly revision: Revision;
}

function keyOf({ collection, namespace = "*", revision }: SnapshotId): string {
  return `${collection} ${namespace} ${revision}`;
}
