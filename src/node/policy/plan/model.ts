// The model that plans are made from: the parts of pods, namespaces and nodes that policies need, and
// policies of all kinds in one form.

import type { LabelFilter } from "../../../api/selectors/label-selector.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";

export const directions = ["ingress", "egress"] as const;
export type Direction = (typeof directions)[number];

/**
 * The sides on which packets of a pod are looked up: by direction, and `node` for those that it sends to its own
 * node, where NetworkPolicies deny nothing, but ClusterNetworkPolicies do.
 */
export const sides = [...directions, "node"] as const;
export type Side = (typeof sides)[number];

export const protocols = ["tcp", "udp", "sctp"] as const;
export type Protocol = (typeof protocols)[number];

type Labels = Readonly<Record<string, string>>;

/** The name of the network that every pod has. */
export const defaultNetwork = "";

export interface PodAddress {
  readonly address: Address;
  /** The address as text in canonical form. */
  readonly text: string;
  readonly family: Family;
  /** The network of the address: `defaultNetwork`, or the name of a further one. */
  readonly network: string;
}

export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** A pod with a network namespace of its own. */
export interface PodFacts {
  /** The pod's key: `NAMESPACE/NAME`. */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly addresses: readonly PodAddress[];
  readonly ports: readonly NamedPort[];
  /** Whether the pod is on this node, which then enforces its policies. */
  readonly isLocal: boolean;
}

export interface NamespaceFacts {
  readonly labels: Labels;
  /** Whether denials of its pods are only counted and reported, but not enforced. */
  readonly isAudited: boolean;
}

export interface NodeFacts {
  readonly labels: Labels;
  readonly addresses: readonly Address[];
}

/** A selection of pods by their namespaces and labels. */
export interface PodSelection {
  /** The only namespace; `namespaces` is absent then. */
  readonly namespace?: string;
  readonly namespaces?: LabelFilter;
  readonly pods: LabelFilter;
}

export type Peer =
  | { readonly kind: "pods"; readonly selection: PodSelection }
  | { readonly kind: "block"; readonly block: Prefix; readonly except: readonly Prefix[] }
  | { readonly kind: "nodes"; readonly nodes: LabelFilter };

/** The ports that a rule matches: a range of one protocol, or all ports that pods give this name. */
export type PortMatch =
  | { readonly protocol: Protocol; readonly from: number; readonly to: number }
  | { readonly protocol?: Protocol; readonly name: string };

export interface Rule {
  readonly action: "accept" | "deny" | "pass";
  /** The peers that the rule matches; all when absent. */
  readonly peers?: readonly Peer[];
  /** The ports that the rule matches; all traffic of any protocol when absent. */
  readonly ports?: readonly PortMatch[];
  /** The rule's title, such as `ingress rule 1`, with its name if it has one. */
  readonly title: string;
}

export interface Policy {
  /** The name: `NAMESPACE/NAME`, or the plain name of a cluster-scoped policy. */
  readonly name: string;
  readonly tier: "admin" | "namespace" | "baseline";
  readonly priority: number;
  readonly subject: PodSelection;
  /** The networks that the policy applies to: it ignores addresses of others, as subjects and as peers. */
  readonly networks: readonly string[];
  /** The rules by direction; the policy does not apply to an absent direction. */
  readonly rules: Readonly<Partial<Record<Direction, readonly Rule[]>>>;
}
