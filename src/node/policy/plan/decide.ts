// Decides about a connection by the rules that match its peer: tier by tier, as the API defines it.

import type { Protocol, Rule } from "./model.ts";

/** Ports of one protocol, with names resolved. */
export interface PortSpan {
  readonly protocol: Protocol;
  readonly from: number;
  readonly to: number;
}

/** A rule that matches the peer in question. */
export interface MatchedRule {
  readonly action: Rule["action"];
  readonly ports?: readonly PortSpan[];
  /** The policy's name and the rule's title. */
  readonly name: string;
}

/** The rules that match a peer of a pod, in one direction. */
export interface MatchedRules {
  readonly admin: readonly MatchedRule[];
  /** The rules of NetworkPolicies; absent when none selects the pod, so that the baseline tier decides. */
  readonly namespace?: readonly MatchedRule[];
  readonly baseline: readonly MatchedRule[];
}

export interface Decision {
  readonly isAllowed: boolean;
  /** The rule that decided; absent when none did. */
  readonly rule?: MatchedRule;
}

/** The protocol and port of traffic; the protocol is absent when it has no ports. */
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
