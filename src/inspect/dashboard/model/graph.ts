// The map of a cluster: from outside by entries and services to pods on nodes, as a graph in columns.

import { keyOf } from "../../../api/client/objects.ts";
import type { Service } from "../../../api/types/core.ts";
import type { Family } from "../../../base/net/family.ts";
import { type Backend, backendsOf } from "./backends.ts";
import { type ClusterObjects, clusterFamilies, slicesByService } from "./cluster.ts";
import { entriesOf } from "./entries.ts";
import { bad, type LampPair, lampsOfNode, lampsOfService, off, ok, pairOf } from "./lamps.ts";

export const columns = ["outside", "entry", "service", "pods", "node"] as const;

export type Column = (typeof columns)[number];

export interface Vertex {
  readonly id: string;
  readonly column: Column;
  readonly label: string;
  readonly lamps: LampPair;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly lamps: LampPair;
}

export interface Graph {
  readonly vertices: readonly Vertex[];
  readonly edges: readonly Edge[];
  /** The number of services that are left out since there are more than can be drawn. */
  readonly leftOut: number;
}

export interface GraphChoice {
  /** The key of the one service to draw, with each of its pods. */
  readonly service?: string | undefined;
  readonly namespace?: string | undefined;
  /** The most services, and the most pods of the one service, that are drawn. */
  readonly most: number;
}

/** Draws one service with its pods; or all services of a choice, their pods counted by node. */
export function graphOf(cluster: ClusterObjects, choice: GraphChoice): Graph {
  const chosen = cluster.services
    .filter((service) => isChosen(service, choice))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const clusterHas = clusterFamilies(cluster);
  const slices = slicesByService(cluster.slices);
  const drawing = new Drawing();
  const drawn = chosen.slice(0, choice.most);
  for (const service of drawn) {
    const backends = backendsOf(slices.get(keyOf(service)) ?? []);
    const isUnread = cluster.unread.has("slices");
    const id = `service ${keyOf(service)}`;
    const lamps = lampsOfService(service, { backends, isUnread });
    drawing.add({ id, column: "service", label: keyOf(service), lamps });
    drawEntries(drawing, { service, id, cluster });
    const pods = { backends, wanted: service.spec.ipFamilies ?? [] };
    const groups = choice.service === undefined ? byNode(pods) : each(pods, choice.most);
    for (const group of groups) drawPods(drawing, { service: id, group });
  }
  for (const node of cluster.nodes) {
    const id = `node ${node.metadata.name}`;
    const lamps = lampsOfNode(node, { clusterHas, silentAnnouncers: cluster.silentAnnouncers });
    if (drawing.has(id)) drawing.add({ id, column: "node", label: node.metadata.name, lamps });
  }
  return { ...drawing.result(), leftOut: chosen.length - drawn.length };
}

interface PodGroup {
  readonly name: string;
  readonly label: string;
  readonly node: string | undefined;
  readonly lamps: LampPair;
}

function drawEntries(
  drawing: Drawing,
  {
    service,
    id,
    cluster,
  }: { readonly service: Service; readonly id: string; readonly cluster: ClusterObjects },
): void {
  for (const { title, addresses } of entriesOf(service, cluster)) {
    const lamps = pairOf((family) => {
      if (addresses[family].length > 0) return ok(addresses[family].join(", "));
      const isWanted = service.spec.ipFamilies?.includes(family) === true;
      return isWanted ? bad(`no address of ${family}`) : off(`not of ${family}`);
    });
    const entry = `${title} of ${id}`;
    const outside = pairOf(() => off(""));
    drawing.add({ id: "outside", column: "outside", label: "outside", lamps: outside });
    drawing.add({ id: entry, column: "entry", label: title, lamps });
    drawing.join({ from: "outside", to: entry, lamps });
    drawing.join({ from: entry, to: id, lamps });
  }
}

function drawPods(
  drawing: Drawing,
  { service, group }: { readonly service: string; readonly group: PodGroup },
): void {
  const { name, label, node, lamps } = group;
  const id = `pods ${name} of ${service}`;
  drawing.add({ id, column: "pods", label, lamps });
  drawing.join({ from: service, to: id, lamps });
  if (node === undefined) return;
  const unknown = pairOf(() => ({ state: "unknown" as const, why: "not read" }));
  drawing.add({ id: `node ${node}`, column: "node", label: node, lamps: unknown });
  drawing.join({ from: id, to: `node ${node}`, lamps });
}

/** Vertices and edges; adding one a second time replaces it. */
class Drawing {
  readonly #vertices = new Map<string, Vertex>();
  readonly #edges = new Map<string, Edge>();

  has(id: string): boolean {
    return this.#vertices.has(id);
  }

  add(vertex: Vertex): void {
    this.#vertices.set(vertex.id, vertex);
  }

  join(edge: Edge): void {
    this.#edges.set(JSON.stringify([edge.from, edge.to]), edge);
  }

  result(): Pick<Graph, "vertices" | "edges"> {
    return { vertices: [...this.#vertices.values()], edges: [...this.#edges.values()] };
  }
}

function isChosen(service: Service, { service: key, namespace }: GraphChoice): boolean {
  if (key !== undefined) return keyOf(service) === key;
  return namespace === undefined || service.metadata.namespace === namespace;
}

interface Pods {
  readonly backends: readonly Backend[];
  /** The families of the service, in each of which its pods should have an address. */
  readonly wanted: readonly Family[];
}

function byNode({ backends, wanted }: Pods): readonly PodGroup[] {
  const groups = Map.groupBy(backends, ({ node }) => node);
  return [...groups]
    .toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1))
    .map(([node, members]) => ({
      name: `on ${node ?? "no node"}`,
      label: members.length === 1 ? (members[0]?.name ?? "") : counted(members),
      node,
      lamps: lampsOfBackends({ backends: members, wanted }),
    }));
}

/** Returns a group for each backend, and one for all beyond the most. */
function each({ backends, wanted }: Pods, most: number): readonly PodGroup[] {
  const rest = backends.slice(most);
  const single = backends.slice(0, most).map((backend) => ({
    name: backend.name,
    label: backend.name,
    node: backend.node,
    lamps: lampsOfBackends({ backends: [backend], wanted }),
  }));
  if (rest.length === 0) return single;
  const label = `${rest.length} more pods`;
  return [
    ...single,
    { name: "more", label, node: undefined, lamps: lampsOfBackends({ backends: rest, wanted }) },
  ];
}

function counted(backends: readonly Backend[]): string {
  const areAllPods = backends.every(({ isPod }) => isPod);
  return `${backends.length} ${areAllPods ? "pods" : "addresses"}`;
}

function lampsOfBackends({ backends, wanted }: Pods): LampPair {
  return pairOf((family) => {
    // An address that is no pod's has no other family: nobody says which addresses are one machine's.
    const expected = backends.filter(({ isPod, addresses }) => isPod || addresses[family]);
    const all = expected.flatMap(({ addresses }) => addresses[family] ?? []);
    const ready = all.filter(({ isReady }) => isReady);
    if (all.length === 0) {
      const isMissed = expected.length > 0 && wanted.includes(family);
      return (isMissed ? bad : off)(`no endpoint of ${family}`);
    }
    if (ready.length === 0) return bad("not ready");
    const text = ready.map(({ address }) => address).join(", ");
    return ready.length < expected.length ? { state: "uneven", why: text } : ok(text);
  });
}
