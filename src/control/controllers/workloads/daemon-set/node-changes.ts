// Changes of nodes, without their heartbeats.

import type { Informer, KeySource } from "../../../../api/client/informer.ts";
import type { Node } from "../../../../api/types/core.ts";

/** Reports all `keys` when a node is added, removed, or changed in what matters for choosing nodes. */
export function nodeChanges(nodes: Informer<Node>, keys: () => Iterable<string>): KeySource {
  return {
    synced: nodes.synced,
    subscribe(add) {
      const looks = new Map<string, string>();
      return nodes.subscribe((name) => {
        const node = nodes.get(name);
        const look = node === undefined ? "" : lookOf(node);
        if (looks.get(name) === look) return;
        if (node === undefined) looks.delete(name);
        else looks.set(name, look);
        for (const key of keys()) add(key);
      });
    },
  };
}

function lookOf({ metadata, spec }: Node): string {
  return JSON.stringify([metadata.uid, metadata.labels, spec.taints]);
}
