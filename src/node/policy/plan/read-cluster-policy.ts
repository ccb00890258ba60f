// Reads a ClusterNetworkPolicy into the model.

import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { LabelSelector } from "../../../api/types/meta.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import {
  type Direction,
  defaultNetwork,
  type Peer,
  type PodSelection,
  type Policy,
  type PortMatch,
  protocols,
  type Rule,
} from "./model.ts";

interface Port {
  readonly number?: number;
  readonly range?: { readonly start: number; readonly end: number };
}

interface ProtocolPorts {
  readonly destinationPort?: Port;
}

interface ClusterProtocol {
  readonly tcp?: ProtocolPorts;
  readonly udp?: ProtocolPorts;
  readonly sctp?: ProtocolPorts;
  readonly destinationNamedPort?: string;
}

interface NamespacedPods {
  readonly namespaces?: LabelSelector;
  readonly pods?: {
    readonly namespaceSelector?: LabelSelector;
    readonly podSelector?: LabelSelector;
  };
}

interface ClusterPeer extends NamespacedPods {
  readonly nodes?: LabelSelector;
  readonly networks?: readonly string[];
}

interface ClusterRule {
  readonly name?: string;
  readonly action: string;
  readonly from?: readonly ClusterPeer[];
  readonly to?: readonly ClusterPeer[];
  readonly protocols?: readonly ClusterProtocol[];
}

/** A ClusterNetworkPolicy of policy.networking.k8s.io/v1alpha2. */
export interface ClusterNetworkPolicy {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec: {
    readonly tier: string;
    readonly priority: number;
    readonly subject: NamespacedPods;
    readonly ingress?: readonly ClusterRule[];
    readonly egress?: readonly ClusterRule[];
  };
}

export function readClusterPolicy({ metadata, spec }: ClusterNetworkPolicy): Policy {
  const rulesOf = (direction: Direction): readonly Rule[] =>
    (spec[direction] ?? []).map((rule, index) => ruleOf(rule, { direction, index }));
  return {
    name: metadata.name,
    tier: spec.tier === "Baseline" ? "baseline" : "admin",
    priority: spec.priority,
    subject: selectionOf(spec.subject) ?? nobody,
    networks: [defaultNetwork],
    rules: {
      ...(spec.ingress?.length && { ingress: rulesOf("ingress") }),
      ...(spec.egress?.length && { egress: rulesOf("egress") }),
    },
  };
}

const nobody: PodSelection = {
  namespaces: compileLabelSelector(undefined),
  pods: compileLabelSelector(undefined),
};

const actions: Readonly<Record<string, Rule["action"]>> = { Accept: "accept", Pass: "pass" };

function ruleOf(
  { name, action: written, from, to, protocols: ports = [] }: ClusterRule,
  { direction, index }: { readonly direction: Direction; readonly index: number },
): Rule {
  const read = (from ?? to ?? []).map(peersOf);
  const action = actions[written] ?? "deny";
  const title = `${direction} rule ${index + 1}${name ? ` "${name}"` : ""}`;
  if (read.includes(undefined) && action !== "accept") {
    // The API requires a denial where a peer is not understood; peers by domain name are not supported here.
    return { action: "deny", title };
  }
  return {
    action,
    title,
    peers: read.flatMap((peers) => peers ?? []),
    ...(ports.length > 0 && { ports: ports.flatMap(portsOf) }),
  };
}

function peersOf(peer: ClusterPeer): readonly Peer[] | undefined {
  const selection = selectionOf(peer);
  if (selection !== undefined) return [{ kind: "pods", selection }];
  if (peer.nodes !== undefined) return [{ kind: "nodes", nodes: compileLabelSelector(peer.nodes) }];
  if (peer.networks === undefined) return undefined;
  const blocks = peer.networks.map((text) => Prefix.tryParse(text));
  if (blocks.includes(undefined)) return undefined;
  return blocks.flatMap((block) =>
    block === undefined ? [] : [{ kind: "block", block, except: [] } as const],
  );
}

function selectionOf({ namespaces, pods }: NamespacedPods): PodSelection | undefined {
  if (namespaces !== undefined) {
    return { namespaces: compileLabelSelector(namespaces), pods: compileLabelSelector({}) };
  }
  if (pods === undefined) return undefined;
  return {
    namespaces: compileLabelSelector(pods.namespaceSelector ?? {}),
    pods: compileLabelSelector(pods.podSelector ?? {}),
  };
}

function portsOf(match: ClusterProtocol): readonly PortMatch[] {
  if (match.destinationNamedPort !== undefined) return [{ name: match.destinationNamedPort }];
  return protocols.flatMap((protocol) => {
    const ports = match[protocol];
    if (ports === undefined) return [];
    const { number, range } = ports.destinationPort ?? {};
    if (range !== undefined) return [{ protocol, from: range.start, to: range.end }];
    return [{ protocol, from: number ?? 0, to: number ?? 65_535 }];
  });
}
