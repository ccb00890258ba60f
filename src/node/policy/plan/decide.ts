// What becomes of a connection, given the rules whose peers it has: tier by tier, as the API defines it.

import type { Protocol, Rule } from "./model.ts";

/** Ports of one protocol, with names resolved. */
export interface PortSpan {
  readonly protocol: Protocol;
  readonly from: number;
  readonly to: number;
}

/** A rule one of whose peers is the one in question. */
export interface MatchedRule {
  readonly action: Rule["action"];
  readonly ports?: readonly PortSpan[];
  /** The policy and the title of the rule. */
  readonly name: string;
}

/** All rules that are about a peer of a pod, in one direction. */
export interface MatchedRules {
  readonly admin: readonly MatchedRule[];
  /** Absent when no NetworkPolicy selects the pod: then the baseline has a say. */
  readonly namespace?: readonly MatchedRule[];
  readonly baseline: readonly MatchedRule[];
}

export interface Decision {
  readonly isAllowed: boolean;
  /** Absent: no rule has decided. */
  readonly rule?: MatchedRule;
}

/** Traffic of a protocol without ports has none. */
export interface Traffic {
  readonly protocol?: Protocol;
  readonly port: number;
}

export function decide(rules: MatchedRules, traffic: Traffic): Decision {
  const admin = firstOf(rules.admin, traffic);
  if (admin !== undefined && admin.action !== "pass") return verdict(admin);
  if (rules.namespace !== undefined) {
    const rule = rules.namespace.find((one) => covers(one, traffic));
    return rule === undefined ? { isAllowed: false } : verdict(rule);
  }
  const baseline = firstOf(rules.baseline, traffic);
  if (baseline !== undefined && baseline.action !== "pass") return verdict(baseline);
  return { isAllowed: true };
}

function firstOf(rules: readonly MatchedRule[], traffic: Traffic): MatchedRule | undefined {
  return rules.find((rule) => covers(rule, traffic));
}

function verdict(rule: MatchedRule): Decision {
  return { isAllowed: rule.action === "accept", rule };
}

function covers({ ports }: MatchedRule, { protocol, port }: Traffic): boolean {
  if (ports === undefined) return true;
  return ports.some((span) => span.protocol === protocol && span.from <= port && port <= span.to);
}
