import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { NetworkPolicy } from "../../../api/types/networking.ts";
import { Address } from "../../../base/net/address.ts";
import { families } from "../../../base/net/family.ts";
import { lookUp } from "./lookup.ts";
import { PolicyState } from "./policy-state.ts";
import { passes } from "./program.ts";
import { type ClusterNetworkPolicy, readClusterPolicy } from "./read-cluster-policy.ts";
import { readNetworkPolicy } from "./read-network-policy.ts";
import {
  clusterPolicy,
  factsOf,
  namespaceLabels,
  namespaceNames,
  networkPolicy,
  nodes,
  peersOf,
  pod,
  question,
} from "./testing/clusters.ts";
import { isAllowed, type OracleCluster, type OraclePod } from "./testing/oracle.ts";

type Labels = Readonly<Record<string, string>>;

/** A change of a cluster; a pod, policy or namespace that exists already is replaced. */
type Step =
  | { readonly kind: "pod"; readonly pod: OraclePod; readonly isThere: boolean }
  | { readonly kind: "namespace"; readonly name: string; readonly labels: Labels }
  | { readonly kind: "policy"; readonly at: number; readonly policy: NetworkPolicy | undefined }
  | {
      readonly kind: "cluster";
      readonly at: number;
      readonly policy: ClusterNetworkPolicy | undefined;
    }
  | { readonly kind: "take" }
  | { readonly kind: "sweep" };

const slot = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("pod" as const),
      pod,
      isThere: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("namespace" as const),
      name: fc.constantFrom(...namespaceNames),
      labels: namespaceLabels,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("policy" as const),
      at: slot,
      policy: fc.option(networkPolicy, { nil: undefined, freq: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("cluster" as const),
      at: slot,
      policy: fc.option(clusterPolicy, { nil: undefined, freq: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "take" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "sweep" as const }) },
);

/** A cluster kept twice: as objects for the reference interpreter, and in the state. */
class Twin {
  readonly state = new PolicyState();
  readonly namespaces = new Map<string, Labels>();
  readonly pods = new Map<string, OraclePod>();
  readonly policies = new Map<number, NetworkPolicy>();
  readonly clusterPolicies = new Map<number, ClusterNetworkPolicy>();

  constructor() {
    for (const [index, node] of nodes.entries()) {
      const addresses = node.addresses.map(Address.parse);
      this.state.setNode(`node-${index}`, { labels: node.labels, addresses });
    }
  }

  get cluster(): OracleCluster {
    return {
      namespaces: this.namespaces,
      nodes,
      pods: [...this.pods.values()],
      policies: [...this.policies.values()],
      clusterPolicies: [...this.clusterPolicies.values()],
    };
  }

  carryOut(one: Step): void {
    switch (one.kind) {
      case "pod":
        return this.#setPod(one.pod, one.isThere);
      case "namespace":
        this.namespaces.set(one.name, one.labels);
        return this.state.setNamespace(one.name, { labels: one.labels, isAudited: false });
      case "policy":
        if (one.policy === undefined) this.policies.delete(one.at);
        else this.policies.set(one.at, one.policy);
        return this.state.setPolicy(
          `policy ${one.at}`,
          one.policy && readNetworkPolicy(one.policy),
        );
      case "cluster": {
        const policy = one.policy && { ...one.policy, metadata: { name: `c${one.at}` } };
        if (policy === undefined) this.clusterPolicies.delete(one.at);
        else this.clusterPolicies.set(one.at, policy);
        return this.state.setPolicy(`cluster ${one.at}`, policy && readClusterPolicy(policy));
      }
      case "take":
        this.state.takeChange();
        return;
      case "sweep":
        this.state.sweep();
    }
  }

  /** Sets or removes a pod. Names are unique across namespaces: one that moves replaces the earlier pod. */
  #setPod(wanted: OraclePod, isThere: boolean): void {
    const before = this.pods.get(wanted.name);
    if (before !== undefined) this.state.setPod(factsOf(before).key, undefined);
    this.pods.delete(wanted.name);
    if (!isThere) return;
    this.pods.set(wanted.name, wanted);
    this.state.setPod(factsOf(wanted).key, factsOf(wanted));
  }
}

const steps = fc.array(step, { minLength: 4, maxLength: 16 });
const questions = fc.array(question, { minLength: 6, maxLength: 8 });

test("[POL-1] [POL-2] after any changes the tables say what the API's text says, in both families", () => {
  fc.assert(
    fc.property(steps, questions, (changes, asked) => {
      const twin = new Twin();
      for (const change of changes) twin.carryOut(change);
      const { elements } = twin.state.takeChange();
      assert.ok(
        families.every((family) => elements[family].every(({ before, after }) => before !== after)),
      );
      const { cluster, state } = twin;
      if (cluster.pods.length === 0) return;
      for (const { subject: index, family, peer: at, ...rest } of asked) {
        const subject = cluster.pods[index % cluster.pods.length] as OraclePod;
        const own = subject.addresses[family === "IPv4" ? 0 : 1] ?? "";
        const peers = peersOf(cluster.pods, family);
        const peer = peers[at % peers.length] ?? "";
        const expected = isAllowed(cluster, { ...rest, subject, peer });
        const protocol =
          rest.protocol === "ICMP" ? {} : ({ protocol: lower(rest.protocol) } as const);
        const traffic = { ...protocol, port: rest.port };
        const place = { direction: rest.direction, subject: own, peer };
        const plan = state.plans[family];
        const { direction: side, ...ends } = place;
        const outcome = lookUp(plan.book, { side, ...ends, ...traffic });
        assert.equal((outcome ?? passes) === passes, expected, JSON.stringify({ place, traffic }));
        assert.equal(
          plan.explain(place, traffic)?.isAllowed ?? true,
          expected,
          "the explanation agrees",
        );
        if (side === "ingress" || cluster.pods.some(({ addresses }) => addresses.includes(peer))) {
          continue;
        }
        const ofNode = lookUp(plan.book, { side: "node", ...ends, ...traffic });
        const towardsNode = isAllowed(withOpenEgress(cluster), { ...rest, subject, peer });
        assert.equal(
          (ofNode ?? passes) === passes,
          towardsNode,
          "the same address as the node's own",
        );
      }
    }),
    { numRuns: 10_000 },
  );
});

test("[POL-6] changes one by one lead to the same tables as everything at once", () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const [one, other] = [new Twin(), new Twin()];
      for (const change of changes) {
        one.carryOut(change);
        one.state.takeChange();
      }
      one.state.sweep();
      one.state.takeChange();
      for (const [name, labels] of one.namespaces)
        other.carryOut({ kind: "namespace", name, labels });
      for (const each of one.pods.values())
        other.carryOut({ kind: "pod", pod: each, isThere: true });
      for (const [at, policy] of one.policies) other.carryOut({ kind: "policy", at, policy });
      for (const [at, policy] of one.clusterPolicies)
        other.carryOut({ kind: "cluster", at, policy });
      other.state.takeChange();
      for (const family of families) {
        assert.deepEqual(counts(one.state, family), counts(other.state, family));
      }
    }),
    { numRuns: 1_000 },
  );
});

/** Returns the number of elements in each set, which must be the same where ids may differ. */
function counts(state: PolicyState, family: (typeof families)[number]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { set } of state.plans[family].book.all()) found[set] = (found[set] ?? 0) + 1;
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function lower<T extends string>(text: T): Lowercase<T> {
  return text.toLowerCase() as Lowercase<T>;
}

/** NetworkPolicies deny nothing that a pod sends to its own node. */
function withOpenEgress(cluster: OracleCluster): OracleCluster {
  const policies = cluster.policies.map((one) => ({ ...one, spec: { ...one.spec, egress: [{}] } }));
  return { ...cluster, policies };
}
