// What plans are made of: pods, namespaces and nodes as far as policies look at them, and policies of every
// kind in one form.

import type { LabelFilter } from "../../../api/selectors/label-selector.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";

export const directions = ["ingress", "egress"] as const;
export type Direction = (typeof directions)[number];

export const protocols = ["tcp", "udp", "sctp"] as const;
export type Protocol = (typeof protocols)[number];

type Labels = Readonly<Record<string, string>>;

/** The name of the network that every pod has. */
export const defaultNetwork = "";

export interface PodAddress {
  readonly address: Address;
  /** The same in canonical form. */
  readonly text: string;
  readonly family: Family;
  /** `defaultNetwork`, or the name of a further one. */
  readonly network: string;
}

export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** A pod that has a network of its own. */
export interface PodFacts {
  /** `NAMESPACE/NAME`. */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly addresses: readonly PodAddress[];
  readonly ports: readonly NamedPort[];
  /** Whether it is on this node, which then keeps its policies. */
  readonly isLocal: boolean;
}

export interface NamespaceFacts {
  readonly labels: Labels;
  /** Nothing is denied to its pods, but what would be is counted and told. */
  readonly isAudited: boolean;
}

export interface NodeFacts {
  readonly labels: Labels;
  readonly addresses: readonly Address[];
}

/** Pods, by their namespaces and labels. */
export interface PodSelection {
  /** One namespace; with it there is no filter of namespaces. */
  readonly namespace?: string;
  readonly namespaces?: LabelFilter;
  readonly pods: LabelFilter;
}

export type Peer =
  | { readonly kind: "pods"; readonly selection: PodSelection }
  | { readonly kind: "block"; readonly block: Prefix; readonly except: readonly Prefix[] }
  | { readonly kind: "nodes"; readonly nodes: LabelFilter };

/** Ports of one protocol: a range, or all that pods give this name. */
export type PortMatch =
  | { readonly protocol: Protocol; readonly from: number; readonly to: number }
  | { readonly protocol?: Protocol; readonly name: string };

export interface Rule {
  readonly action: "accept" | "deny" | "pass";
  /** Absent: everybody. */
  readonly peers?: readonly Peer[];
  /** Absent: all traffic, of whatever protocol. */
  readonly ports?: readonly PortMatch[];
  /** `ingress rule 1`, with the name that it was given. */
  readonly title: string;
}

export interface Policy {
  /** `NAMESPACE/NAME`, or the name of one of the whole cluster. */
  readonly name: string;
  readonly tier: "admin" | "namespace" | "baseline";
  readonly priority: number;
  readonly subject: PodSelection;
  /** The networks that it is about: addresses of others are not concerned, as subjects or as peers. */
  readonly networks: readonly string[];
  /** A direction that is absent is not concerned. */
  readonly rules: Readonly<Partial<Record<Direction, readonly Rule[]>>>;
}
