// The scheduler's state: nodes and their pods, kept current change by change, so that a decision reads no
// more than it needs.

import type { Node } from "../../../api/types/core.ts";
import { sameJson } from "../../../base/json/value.ts";
import { type Amounts, readAmounts } from "./amounts.ts";
import type { HostPort } from "./host-ports.ts";
import type { PodNeeds } from "./pod-needs.ts";
import type { NamespaceLabels } from "./pod-terms.ts";
import type { Storage } from "./volumes.ts";

/** A known node, and what its pods use. */
export interface NodeState {
  readonly name: string;
  readonly node: Node;
  readonly allocatable: Amounts;
  readonly requested: Amounts;
  readonly likely: { readonly cpu: number; readonly memory: number };
  readonly hostPorts: ReadonlySet<HostPort>;
  readonly pods: ReadonlyMap<string, PodNeeds>;
}

export interface Placed {
  readonly needs: PodNeeds;
  readonly nodeName: string;
}

export class ClusterState {
  readonly #slots = new Map<string, Slot>();
  readonly #placed = new Map<string, Placed>();
  readonly #byNamespace = new Map<string, Map<string, Placed>>();
  readonly #opinionated = new Map<string, Placed>();
  readonly #siblings = new Map<string, Map<string, number>>();
  /** The cached list of nodes, without those that are known only from their pods so far. */
  #nodes: NodeState[] | undefined;
  readonly namespaceLabels: NamespaceLabels;
  /** The claims and volumes; `undefined` where nobody asks for them. */
  readonly storage: Storage | undefined;

  constructor(namespaceLabels: NamespaceLabels = () => undefined, storage?: Storage) {
    this.namespaceLabels = namespaceLabels;
    this.storage = storage;
  }

  get nodes(): readonly NodeState[] {
    this.#nodes ??= [...this.#slots.values()].filter(isKnown);
    return this.#nodes;
  }

  node(name: string): NodeState | undefined {
    const slot = this.#slots.get(name);
    return slot !== undefined && isKnown(slot) ? slot : undefined;
  }

  /** Adds or updates a node; returns whether the change could make room for a pod. */
  setNode(node: Node): boolean {
    const slot = this.#slot(node.metadata.name);
    const before = slot.node;
    slot.node = node;
    slot.allocatable = readAmounts(node.status?.allocatable ?? node.status?.capacity);
    this.#nodes = undefined;
    return before === undefined || !sameJson(essence(before), essence(node));
  }

  removeNode(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    slot.node = undefined;
    this.#nodes = undefined;
    this.#forget(slot);
  }

  placeOf(key: string): Placed | undefined {
    return this.#placed.get(key);
  }

  place(needs: PodNeeds, nodeName: string): void {
    this.remove(needs.key);
    const placed = { needs, nodeName };
    this.#placed.set(needs.key, placed);
    this.#slot(nodeName).add(needs);
    inner(this.#byNamespace, needs.namespace).set(needs.key, placed);
    if (isOpinionated(needs)) this.#opinionated.set(needs.key, placed);
    const siblings = inner(this.#siblings, needs.controller);
    siblings.set(nodeName, (siblings.get(nodeName) ?? 0) + 1);
  }

  remove(key: string): void {
    const placed = this.#placed.get(key);
    if (placed === undefined) return;
    const { needs, nodeName } = placed;
    this.#placed.delete(key);
    const slot = this.#slot(nodeName);
    slot.remove(needs);
    this.#forget(slot);
    drop(this.#byNamespace, needs.namespace, key);
    this.#opinionated.delete(key);
    const siblings = inner(this.#siblings, needs.controller);
    const left = (siblings.get(nodeName) ?? 1) - 1;
    if (left === 0) drop(this.#siblings, needs.controller, nodeName);
    else siblings.set(nodeName, left);
  }

  get placed(): Iterable<Placed> {
    return this.#placed.values();
  }

  placedIn(namespace: string): Iterable<Placed> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  /** The placed pods with affinity or anti-affinity terms. */
  get opinionated(): ReadonlyMap<string, Placed> {
    return this.#opinionated;
  }

  /** Returns how many pods of a controller are on each node. */
  siblings(controller: string): ReadonlyMap<string, number> {
    return this.#siblings.get(controller) ?? none;
  }

  #slot(name: string): Slot {
    let slot = this.#slots.get(name);
    if (slot === undefined) this.#slots.set(name, (slot = new Slot(name)));
    return slot;
  }

  #forget(slot: Slot): void {
    if (slot.node === undefined && slot.pods.size === 0) this.#slots.delete(slot.name);
  }
}

class Slot {
  readonly name: string;
  node: Node | undefined;
  allocatable: Amounts = none;
  readonly requested = new Map<string, number>();
  readonly likely = { cpu: 0, memory: 0 };
  readonly hostPorts = new Set<HostPort>();
  readonly pods = new Map<string, PodNeeds>();

  constructor(name: string) {
    this.name = name;
  }

  add(needs: PodNeeds): void {
    this.pods.set(needs.key, needs);
    for (const port of needs.hostPorts) this.hostPorts.add(port);
    this.#count(needs, 1);
  }

  remove(needs: PodNeeds): void {
    this.pods.delete(needs.key);
    for (const port of needs.hostPorts) this.hostPorts.delete(port);
    this.#count(needs, -1);
  }

  #count({ requests, likely }: PodNeeds, sign: 1 | -1): void {
    for (const [resource, amount] of requests) {
      this.requested.set(resource, (this.requested.get(resource) ?? 0) + sign * amount);
    }
    this.likely.cpu += sign * likely.cpu;
    this.likely.memory += sign * likely.memory;
  }
}

const none: ReadonlyMap<string, number> = new Map();

function isKnown(slot: Slot): slot is Slot & NodeState {
  return slot.node !== undefined;
}

function isOpinionated({ near, far }: PodNeeds): boolean {
  return [near, far].some(({ required, preferred }) => required.length + preferred.length > 0);
}

/** Returns the part of a node that matters to decisions; heartbeats do not. */
function essence({ metadata, spec, status }: Node): unknown {
  return {
    labels: metadata.labels ?? {},
    taints: spec.taints ?? [],
    unschedulable: spec.unschedulable === true,
    allocatable: status?.allocatable ?? status?.capacity ?? {},
  };
}

function inner<V>(outer: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let map = outer.get(key);
  if (map === undefined) outer.set(key, (map = new Map<string, V>()));
  return map;
}

function drop<V>(outer: Map<string, Map<string, V>>, key: string, innerKey: string): void {
  const map = outer.get(key);
  map?.delete(innerKey);
  if (map?.size === 0) outer.delete(key);
}
