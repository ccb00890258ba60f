// All groups of watchers, one per collection, filter and view.
import type { Collection } from "../cache/collection.ts";
import type { View } from "../views/view.ts";
import { type Filter, FrameMemo, type Watcher, WatchGroup } from "./group.ts";

export class WatchGroups {
  readonly #groups = new Map<string, WatchGroup>();
  readonly #memo = new FrameMemo();

  /** The number of watchers. */
  get size(): number {
    let size = 0;
    for (const group of this.#groups.values()) size += group.size;
    return size;
  }

  /** Adds a watcher to those with the same filter and view; the function returned removes it. */
  join(
    watcher: Watcher,
    what: { collection: Collection; filter: Filter; view: View },
  ): { group: WatchGroup; leave: () => void } {
    const { collection, filter, view } = what;
    const id = `${collection.id} ${view.id} ${filter.id}`;
    const group = this.#groups.get(id) ?? new WatchGroup(filter, view, this.#memo);
    if (group.size === 0) {
      this.#groups.set(id, group);
      if (filter.key === undefined) collection.subscribers.add(group);
      else collection.keyed.add(group, filter.key);
    }
    group.add(watcher);
    const leave = () => {
      if (!group.remove(watcher) || group.size > 0) return;
      this.#groups.delete(id);
      if (filter.key === undefined) collection.subscribers.delete(group);
      else collection.keyed.delete(group, filter.key);
    };
    return { group, leave };
  }
}
