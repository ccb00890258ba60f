// Computes the elements of tables from objects. Objects are put in any order; their combined result is
// computed when changes are taken, only for what they have touched.

import type { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";
import type { ClassFacts } from "./class-rules.ts";
import { type Begun, type CompiledPolicy, type CompiledRule, compilePolicy } from "./compile.ts";
import type { ElementChange } from "./element-book.ts";
import { type ClassWish, FamilyPlan, type SubjectWish } from "./family-plan.ts";
import { Holders } from "./holders.ts";
import {
  type Direction,
  defaultNetwork,
  directions,
  type NamespaceFacts,
  type NodeFacts,
  type PodFacts,
  type Policy,
} from "./model.ts";
import { Reasons } from "./reasons.ts";
import { getOr, isInBlock, type Selection, Selections } from "./selections.ts";

export interface StateChange {
  readonly elements: Readonly<Record<Family, readonly ElementChange[]>>;
}

const noNamespace: NamespaceFacts = { labels: {}, isAudited: false };

export class PolicyState {
  readonly reasons = new Reasons();
  readonly plans: Readonly<Record<Family, FamilyPlan>> = {
    IPv4: new FamilyPlan("IPv4", this.reasons),
    IPv6: new FamilyPlan("IPv6", this.reasons),
  };
  readonly #selections = new Selections();
  readonly #pods = new Map<string, PodFacts>();
  readonly #ofNamespace = new Map<string, Set<string>>();
  readonly #holders = new Holders();
  readonly #namespaces = new Map<string, NamespaceFacts>();
  readonly #nodes = new Map<string, NodeFacts>();
  readonly #policies = new Map<string, CompiledPolicy>();
  /** The policies by the namespace of their subjects; `""` for cluster-scoped ones. */
  readonly #about = new Map<string, Set<CompiledPolicy>>();
  readonly #dirtyPeers = new Set<string>();
  readonly #dirtySubjects = new Set<string>();
  /** Whether nothing has been computed yet. */
  #isFirst = true;
  #nodesRevision = 0;
  /** The next policy's number; a changed policy gets a new one, so that it makes new classes. */
  #count = 0;
  readonly #numbers = new WeakMap<CompiledPolicy, number>();

  get size(): { readonly pods: number; readonly policies: number } {
    return { pods: this.#pods.size, policies: this.#policies.size };
  }

  pod(key: string): PodFacts | undefined {
    return this.#pods.get(key);
  }

  /** Returns the pod that has an address. */
  holderOf(address: string): PodFacts | undefined {
    const key = this.#holders.of(address);
    return key === undefined ? undefined : this.#pods.get(key);
  }

  setPod(key: string, pod: PodFacts | undefined): void {
    const before = this.#pods.get(key);
    if (before !== undefined) this.#removePod(before);
    if (pod === undefined) {
      this.#pods.delete(key);
      return;
    }
    this.#pods.set(key, pod);
    getOr(this.#ofNamespace, pod.namespace, () => new Set()).add(key);
    for (const { text } of pod.addresses) this.#holders.add(text, key);
    this.#touch(key, pod);
  }

  setNamespace(name: string, facts: NamespaceFacts | undefined): void {
    if (facts === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, facts);
    for (const key of this.#ofNamespace.get(name) ?? []) this.#touch(key, this.#pods.get(key));
  }

  setNode(name: string, facts: NodeFacts | undefined): void {
    if (facts === undefined) this.#nodes.delete(name);
    else this.#nodes.set(name, facts);
    const isUsed = [...this.#policies.values()].some(({ rules }) =>
      Object.values(rules).some((some) => some.some((rule) => rule.nodes.length > 0)),
    );
    if (!isUsed) return;
    this.#nodesRevision++;
    for (const key of this.#pods.keys()) this.#dirtySubjects.add(key);
  }

  setPolicy(key: string, policy: Policy | undefined): void {
    const before = this.#policies.get(key);
    const begun: Begun = { selections: [], names: [] };
    const after = policy === undefined ? undefined : compilePolicy(policy, this.#selections, begun);
    this.#dirtyBy(begun.selections, begun.names);
    if (before !== undefined) this.#forget(key, before);
    if (after === undefined) return;
    this.#policies.set(key, after);
    this.#numbers.set(after, this.#count++);
    getOr(this.#about, after.policy.subject.namespace ?? "", () => new Set()).add(after);
    this.#dirtySubjectsOf(after.policy);
  }

  /** Returns all changes for the kernel since the last call. */
  takeChange(): StateChange {
    this.#settle();
    const [IPv4, IPv6] = [this.plans.IPv4.book.takeChanges(), this.plans.IPv6.book.takeChanges()];
    return { elements: { IPv4, IPv6 } };
  }

  /** Whether `sweep` would remove anything. */
  get hasIdle(): boolean {
    return families.some((family) => this.plans[family].hasIdle);
  }

  sweep(): void {
    this.#settle();
    for (const family of families) this.plans[family].sweep();
  }

  /** Returns the policies that apply to a pod on one of its networks, in one direction. */
  policiesOf(pod: PodFacts, network: string, direction: Direction): readonly CompiledPolicy[] {
    const { labels } = this.#namespaces.get(pod.namespace) ?? noNamespace;
    const about = [...(this.#about.get(pod.namespace) ?? []), ...(this.#about.get("") ?? [])];
    return about.filter(({ policy: { subject, networks, rules } }) => {
      if (rules[direction] === undefined || !networks.includes(network)) return false;
      if (subject.namespaces !== undefined && !subject.namespaces.matchesLabels(labels))
        return false;
      return subject.pods.matchesLabels(pod.labels);
    });
  }

  #settle(): void {
    this.#isFirst = false;
    for (const key of this.#dirtyPeers) this.#putPeer(key);
    this.#dirtyPeers.clear();
    for (const family of families) this.plans[family].settle();
    for (const key of this.#dirtySubjects) this.#putSubject(key);
    this.#dirtySubjects.clear();
  }

  /** Marks a pod whose facts have changed. */
  #touch(key: string, pod: PodFacts | undefined): void {
    this.#dirtyPeers.add(key);
    // Nobody else has policies here, unless it takes over the address of a pod of this node.
    const isSubject =
      pod?.isLocal || pod?.addresses.some(({ text }) => this.#holders.othersOf(text).length > 0);
    if (isSubject) this.#dirtySubjects.add(key);
  }

  /** Removes the addresses that no pod claims any more; the next holders of the others put theirs again. */
  #removePod(pod: PodFacts): void {
    const { key, namespace, addresses } = pod;
    this.#ofNamespace.get(namespace)?.delete(key);
    for (const { text, family } of addresses) {
      this.#holders.remove(text, key);
      const next = this.#holders.of(text);
      if (next === undefined) {
        this.plans[family].putPeer(text, undefined);
        this.plans[family].putSubject(text, undefined);
      } else {
        this.#dirtyPeers.add(next);
        this.#dirtySubjects.add(next);
      }
    }
  }

  #putPeer(key: string): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    const { labels } = this.#namespaces.get(pod.namespace) ?? noNamespace;
    const ports = pod.ports.filter(({ name }) => this.#selections.isNamed(name));
    for (const address of pod.addresses) {
      if (this.holderOf(address.text) !== pod) continue;
      const ids = this.#selections.matching(pod, labels, address);
      const isForeign = address.network !== defaultNetwork;
      this.plans[address.family].putPeer(address.text, { ids, ports, isForeign });
    }
  }

  #putSubject(key: string): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    for (const { text, family, network } of pod.addresses) {
      if (this.holderOf(text) !== pod) continue;
      this.plans[family].putSubject(text, pod.isLocal ? this.#wishOf(pod, network) : undefined);
    }
  }

  #wishOf(pod: PodFacts, network: string): SubjectWish {
    const [ingress, egress] = directions.map((direction) =>
      this.policiesOf(pod, network, direction),
    );
    const isOfNode = egress?.some(({ policy }) => policy.tier !== "namespace");
    const wishes = [
      { side: "ingress", direction: "ingress", policies: ingress },
      { side: "egress", direction: "egress", policies: egress },
      { side: "node", direction: "egress", policies: isOfNode ? egress : [] },
    ] as const;
    return Object.fromEntries(
      wishes.flatMap(({ side, direction, policies = [] }) =>
        policies.length === 0
          ? []
          : [[side, this.#classWish(pod, { side, direction, policies })] as const],
      ),
    );
  }

  #classWish(pod: PodFacts, one: Pick<ClassFacts, "side" | "direction" | "policies">): ClassWish {
    const { isAudited } = this.#namespaces.get(pod.namespace) ?? noNamespace;
    const ports = one.direction === "ingress" ? namedIn(one.policies, pod) : [];
    const numbers = one.policies.map((policy) => String(this.#numbers.get(policy)));
    const named = ports.map(({ name, protocol, port }) => `${name}=${protocol}/${port}`);
    const key = [
      one.side,
      isAudited ? "audited" : "",
      this.#nodesRevision,
      numbers.toSorted().join(","),
      named.toSorted().join(","),
    ].join(" ");
    const nodeAddresses = (rule: CompiledRule) => this.#addressesOfNodes(rule);
    return { key, facts: { ...one, ports, isAudited, nodeAddresses } };
  }

  #addressesOfNodes({ nodes }: CompiledRule): readonly Address[] {
    return [...this.#nodes.values()].flatMap(({ labels, addresses }) =>
      nodes.some((filter) => filter.matchesLabels(labels)) ? addresses : [],
    );
  }

  #forget(key: string, before: CompiledPolicy): void {
    this.#policies.delete(key);
    this.#about.get(before.policy.subject.namespace ?? "")?.delete(before);
    const ended = before.selections.filter((selection) => this.#selections.release(selection));
    const names = before.names.filter((name) => this.#selections.releaseName(name));
    this.#dirtyBy(ended, names);
    this.#dirtySubjectsOf(before.policy);
  }

  /** Marks the pods that a new or removed selection or port name may match. */
  #dirtyBy(selections: readonly Selection[], names: readonly string[]): void {
    // All pods are evaluated anyway the first time.
    if (this.#isFirst) return;
    for (const { peer } of selections) {
      for (const pod of this.#candidates(peer)) this.#dirtyPeers.add(pod.key);
    }
    if (names.length === 0) return;
    for (const [key, { ports }] of this.#pods) {
      if (ports.some(({ name }) => names.includes(name))) this.#dirtyPeers.add(key);
    }
  }

  *#candidates(peer: Selection["peer"]): Generator<PodFacts> {
    if (peer.kind === "block") {
      for (const pod of this.#pods.values()) {
        if (pod.addresses.some(({ address }) => isInBlock(peer, address))) yield pod;
      }
      return;
    }
    const { namespace, namespaces, pods } = peer.selection;
    for (const [name, keys] of this.#ofNamespace) {
      if (namespace !== undefined && name !== namespace) continue;
      const { labels } = this.#namespaces.get(name) ?? noNamespace;
      if (namespaces?.matchesLabels(labels) === false) continue;
      for (const key of keys) {
        const pod = this.#pods.get(key);
        if (pod !== undefined && pods.matchesLabels(pod.labels)) yield pod;
      }
    }
  }

  #dirtySubjectsOf({ subject }: Policy): void {
    const { namespace } = subject;
    const keys = namespace === undefined ? this.#pods.keys() : this.#ofNamespace.get(namespace);
    for (const key of keys ?? []) if (this.#pods.get(key)?.isLocal) this.#dirtySubjects.add(key);
  }
}

/** Returns the pod's ports that these policies refer to by name. */
function namedIn(policies: readonly CompiledPolicy[], pod: PodFacts): PodFacts["ports"] {
  const names = new Set(
    policies.flatMap(({ policy }) =>
      (policy.rules.ingress ?? []).flatMap(({ ports = [] }) =>
        ports.flatMap((port) => ("name" in port ? [port.name] : [])),
      ),
    ),
  );
  return pod.ports.filter(({ name }) => names.has(name));
}
