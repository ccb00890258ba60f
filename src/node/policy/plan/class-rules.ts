// The rules of a class, which is all pods that have the same policies in one direction, and those of them
// that match a peer.

import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { type CompiledPolicy, type CompiledRule, inOrder } from "./compile.ts";
import type { MatchedRule, MatchedRules, PortSpan } from "./decide.ts";
import type { IdentityFacts } from "./identities.ts";
import {
  type Direction,
  type NamedPort,
  type Policy,
  type PortMatch,
  protocols,
  type Side,
} from "./model.ts";

export interface ClassFacts {
  readonly direction: Direction;
  readonly side: Side;
  /** The policies that have rules for this direction. */
  readonly policies: readonly CompiledPolicy[];
  /** The pod's own ports, which ingress rules may name. */
  readonly ports: readonly NamedPort[];
  /** Whether denials are only counted and reported, but not enforced. */
  readonly isAudited: boolean;
  /** Returns the addresses of the nodes that a rule selects. */
  readonly nodeAddresses: (rule: CompiledRule) => readonly Address[];
}

export class ClassRules {
  readonly facts: ClassFacts;
  readonly #family: Family;
  readonly #tiers: Readonly<Record<Policy["tier"], readonly CompiledRule[]>>;
  readonly #all: readonly CompiledRule[];
  readonly #isIsolated: boolean;

  constructor(facts: ClassFacts, family: Family) {
    this.facts = facts;
    this.#family = family;
    const policies = inOrder(facts.policies);
    const rulesOf = (tier: Policy["tier"]) =>
      policies.flatMap(({ policy, rules }) =>
        policy.tier === tier ? (rules[facts.direction] ?? []) : [],
      );
    this.#tiers = {
      admin: rulesOf("admin"),
      namespace: rulesOf("namespace"),
      baseline: rulesOf("baseline"),
    };
    this.#all = Object.values(this.#tiers).flat();
    this.#isIsolated = policies.some(({ policy }) => policy.tier === "namespace");
  }

  /** The names of the NetworkPolicies that isolate the pods: only what their rules allow passes. */
  get isolating(): readonly string[] {
    const own = this.facts.policies.filter(({ policy }) => policy.tier === "namespace");
    return own.map(({ policy }) => policy.name).toSorted();
  }

  get ids(): ReadonlySet<number> {
    return new Set(this.#all.flatMap(({ ids }) => [...ids]));
  }

  /** The port names that egress rules use, which are looked up in the peers. */
  get names(): ReadonlySet<string> {
    if (this.facts.direction === "ingress") return new Set();
    return new Set(
      this.#all.flatMap(({ rule }) =>
        (rule.ports ?? []).flatMap((port) => ("name" in port ? [port.name] : [])),
      ),
    );
  }

  get isForPods(): boolean {
    return this.#all.some((rule) => rule.isForPods);
  }

  /** The prefixes whose addresses may be treated differently from those around them, the shortest first. */
  get prefixes(): readonly Prefix[] {
    const found = this.#all.flatMap((rule) => [
      ...rule.blocks.flatMap(({ block, except }) => [block, ...except]),
      ...this.#nodePrefixes(rule),
    ]);
    const own = found.filter(({ family }) => family === this.#family);
    const distinct = new Map(own.map((prefix) => [prefix.toString(), prefix]));
    return [...distinct.values()].toSorted((one, other) => one.length - other.length);
  }

  /** Returns the rules that match a peer pod; without ids and ports, any pod that no rule selects. */
  forPod({ ids, ports, isForeign }: IdentityFacts): MatchedRules {
    return this.#matched(ports, (rule) => {
      if (rule.isForPods && !isForeign) return true;
      return ids.some((id) => rule.ids.has(id));
    });
  }

  /** Returns the rules that match addresses in this prefix, in none of the longer ones, and of no pod. */
  forPrefix(prefix: Prefix | undefined): MatchedRules {
    return this.#matched([], (rule) => {
      if (prefix === undefined) return false;
      const isBlocked = rule.blocks.some(
        ({ block, except }) =>
          block.contains(prefix) && !except.some((hole) => hole.contains(prefix)),
      );
      return isBlocked || this.#nodePrefixes(rule).some((node) => node.contains(prefix));
    });
  }

  #nodePrefixes(rule: CompiledRule): readonly Prefix[] {
    if (rule.nodes.length === 0) return [];
    return this.facts
      .nodeAddresses(rule)
      .filter(({ family }) => family === this.#family)
      .map((address) => Prefix.of(address, this.#family === "IPv4" ? 32 : 128));
  }

  #matched(
    peerPorts: readonly NamedPort[],
    isMeant: (rule: CompiledRule) => boolean,
  ): MatchedRules {
    const named = this.facts.direction === "ingress" ? this.facts.ports : peerPorts;
    const of = (rules: readonly CompiledRule[]): readonly MatchedRule[] =>
      rules
        .filter((rule) => rule.anyOf.has(this.#family) || isMeant(rule))
        .map(({ rule, name }) => ({
          action: rule.action,
          name,
          ...(rule.ports && { ports: rule.ports.flatMap((port) => spansOf(port, named)) }),
        }));
    const namespace = this.facts.side === "node" ? [ownNode] : of(this.#tiers.namespace);
    return {
      admin: of(this.#tiers.admin),
      ...(this.#isIsolated && { namespace }),
      baseline: of(this.#tiers.baseline),
    };
  }
}

/** What NetworkPolicies say of a pod's own node. */
const ownNode: MatchedRule = { action: "accept", name: "the pod's own node" };

function spansOf(port: PortMatch, named: readonly NamedPort[]): readonly PortSpan[] {
  if (!("name" in port)) return [port];
  const wanted = port.protocol === undefined ? protocols : [port.protocol];
  return named
    .filter(({ name, protocol }) => name === port.name && wanted.includes(protocol))
    .map(({ protocol, port: number }) => ({ protocol, from: number, to: number }));
}
