// Compiles policies: their peers become ids of selections, so that matching a peer is a comparison of
// numbers.

import type { LabelFilter } from "../../../api/selectors/label-selector.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { type Direction, directions, type Policy, type Rule } from "./model.ts";
import { type BlockPeer, isEverybody, type Selection, type Selections } from "./selections.ts";

export interface CompiledRule {
  readonly rule: Rule;
  /** The policy's name and the rule's title. */
  readonly name: string;
  /** The families in which the rule matches every peer. */
  readonly anyOf: ReadonlySet<Family>;
  /** Whether the rule matches all pods. */
  readonly isForPods: boolean;
  readonly ids: ReadonlySet<number>;
  readonly blocks: readonly BlockPeer[];
  readonly nodes: readonly LabelFilter[];
}

export interface CompiledPolicy {
  readonly policy: Policy;
  readonly rules: Readonly<Partial<Record<Direction, readonly CompiledRule[]>>>;
  readonly selections: readonly Selection[];
  /** The port names that egress rules use, which are looked up in the peers. */
  readonly names: readonly string[];
}

/** The selections and port names that a policy is the first to use. */
export interface Begun {
  readonly selections: Selection[];
  readonly names: string[];
}

export function compilePolicy(
  policy: Policy,
  selections: Selections,
  begun: Begun,
): CompiledPolicy {
  const used: Selection[] = [];
  const names: string[] = [];
  const compileRule = (rule: Rule, direction: Direction): CompiledRule => {
    const ids = new Set<number>();
    const blocks: BlockPeer[] = [];
    const nodes: LabelFilter[] = [];
    const anyOf = new Set<Family>(rule.peers === undefined ? families : []);
    let isForPods = false;
    for (const peer of rule.peers ?? []) {
      if (peer.kind === "nodes") nodes.push(peer.nodes);
      else if (peer.kind === "block" && peer.block.length === 0 && peer.except.length === 0) {
        anyOf.add(peer.block.family);
      } else if (peer.kind === "pods" && isEverybody(peer, policy.networks)) isForPods = true;
      else {
        if (peer.kind === "block") blocks.push(peer);
        const [selection, isNew] = selections.acquire(peer, policy.networks);
        if (isNew) begun.selections.push(selection);
        used.push(selection);
        ids.add(selection.id);
      }
    }
    for (const port of rule.ports ?? []) {
      // A port name in an ingress rule refers to the subject's own ports, so peers do not matter.
      if (!("name" in port) || direction === "ingress") continue;
      if (selections.acquireName(port.name)) begun.names.push(port.name);
      names.push(port.name);
    }
    return { rule, name: `${policy.name}, ${rule.title}`, anyOf, isForPods, ids, blocks, nodes };
  };
  const rules = Object.fromEntries(
    directions.flatMap((direction) => {
      const written = policy.rules[direction];
      return written === undefined
        ? []
        : [[direction, written.map((rule) => compileRule(rule, direction))]];
    }),
  );
  return { policy, rules, selections: used, names };
}

/** Sorts policies by the order in which they are evaluated. */
export function inOrder(policies: readonly CompiledPolicy[]): readonly CompiledPolicy[] {
  return policies.toSorted(
    ({ policy: one }, { policy: other }) =>
      one.priority - other.priority || (one.name < other.name ? -1 : 1),
  );
}
