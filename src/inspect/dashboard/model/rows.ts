// The rows of tables: nodes, services and pods with a lamp for each family.

import { keyOf } from "../../../api/client/objects.ts";
import type { Family } from "../../../base/net/family.ts";
import { families } from "../../../base/net/family.ts";
import { backendsOf } from "./backends.ts";
import { type ClusterObjects, clusterFamilies, slicesByService } from "./cluster.ts";
import { type LampPair, type LampState, lampsOfNode, lampsOfPod, lampsOfService } from "./lamps.ts";
import type { ObjectPlace } from "./what-is.ts";

export type TableName = "nodes" | "services" | "pods";

export interface Row {
  readonly key: string;
  readonly place: ObjectPlace;
  /** The cells besides the name and the lamps, as the table's columns have them. */
  readonly cells: readonly string[];
  readonly lamps: LampPair;
}

/** The columns besides the name and the lamps. */
export const columnsOf: Readonly<Record<TableName, readonly string[]>> = {
  nodes: ["Version"],
  services: ["Type", "Ports"],
  pods: ["Status", "Node"],
};

export const rowsOf: Readonly<Record<TableName, (cluster: ClusterObjects) => readonly Row[]>> = {
  nodes(cluster) {
    const clusterHas = clusterFamilies(cluster);
    const { silentAnnouncers } = cluster;
    return sorted(
      cluster.nodes.map((node) => ({
        key: node.metadata.name,
        place: { kind: "Node", name: node.metadata.name },
        cells: [node.status?.nodeInfo?.kubeletVersion ?? ""],
        lamps: lampsOfNode(node, { clusterHas, silentAnnouncers }),
      })),
    );
  },
  services(cluster) {
    const slices = slicesByService(cluster.slices);
    const isUnread = cluster.unread.has("slices");
    return sorted(
      cluster.services.map((service) => {
        const { metadata, spec } = service;
        const backends = backendsOf(slices.get(keyOf(service)) ?? []);
        const ports = (spec.ports ?? []).map(({ port, protocol = "TCP" }) => `${port}/${protocol}`);
        return {
          key: keyOf(service),
          place: { kind: "Service", namespace: metadata.namespace, name: metadata.name },
          cells: [spec.type ?? "ClusterIP", ports.join(", ")],
          lamps: lampsOfService(service, { backends, isUnread }),
        };
      }),
    );
  },
  pods(cluster) {
    const has = clusterFamilies(cluster);
    return sorted(
      cluster.pods.map((pod) => ({
        key: keyOf(pod),
        place: { kind: "Pod", namespace: pod.metadata.namespace, name: pod.metadata.name },
        cells: [pod.status?.phase ?? "Pending", pod.spec.nodeName ?? ""],
        lamps: lampsOfPod(pod, has),
      })),
    );
  },
};

export interface RowFilter {
  /** Words that all occur in the row: its key, its cells or what its lamps say. */
  readonly search: string;
  /** Only rows whose lamp of this family has one of `states`; any lamp without it. */
  readonly family: Family | undefined;
  readonly states: readonly LampState[];
}

export function filterRows(rows: readonly Row[], filter: RowFilter): readonly Row[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const looked = filter.family === undefined ? families : [filter.family];
  return rows.filter(({ key, cells, lamps }) => {
    const isWanted =
      filter.states.length === 0 ||
      looked.some((family) => filter.states.includes(lamps[family].state));
    if (!isWanted || words.length === 0) return isWanted;
    const texts = [key, ...cells, ...looked.map((family) => lamps[family].why)];
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export type LampCounts = Readonly<Record<Family, ReadonlyMap<LampState, number>>>;

/** Counts the lamps of rows by family and state. */
export function countLamps(rows: readonly Row[]): LampCounts {
  const counts = { IPv4: new Map<LampState, number>(), IPv6: new Map<LampState, number>() };
  for (const { lamps } of rows) {
    for (const family of families) {
      const { state } = lamps[family];
      counts[family].set(state, (counts[family].get(state) ?? 0) + 1);
    }
  }
  return counts;
}

function sorted(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
