// A reference interpreter that follows the API's text literally and shares no code with the plan: slow,
// small, and for one connection at a time.

import type { LabelSelector } from "../../../../api/types/meta.ts";
import type { NetworkPolicy } from "../../../../api/types/networking.ts";
import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import type { ClusterNetworkPolicy } from "../read-cluster-policy.ts";

type Labels = Readonly<Record<string, string>>;

export interface OraclePod {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly addresses: readonly string[];
  readonly ports: readonly {
    readonly name: string;
    readonly protocol: string;
    readonly port: number;
  }[];
}

export interface OracleCluster {
  readonly namespaces: ReadonlyMap<string, Labels>;
  readonly nodes: readonly { readonly labels: Labels; readonly addresses: readonly string[] }[];
  readonly pods: readonly OraclePod[];
  readonly policies: readonly NetworkPolicy[];
  readonly clusterPolicies: readonly ClusterNetworkPolicy[];
}

export interface OracleQuestion {
  readonly direction: "ingress" | "egress";
  readonly subject: OraclePod;
  readonly peer: string;
  readonly protocol: "TCP" | "UDP" | "SCTP" | "ICMP";
  readonly port: number;
}

export function isAllowed(cluster: OracleCluster, question: OracleQuestion): boolean {
  const admin = tier(cluster, question, "Admin");
  if (admin === "Accept" || admin === "Deny") return admin === "Accept";
  const { direction, subject } = question;
  const type = direction === "ingress" ? "Ingress" : "Egress";
  const selecting = cluster.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === subject.namespace &&
      selects(spec.podSelector, subject.labels) &&
      (spec.policyTypes ?? []).includes(type),
  );
  if (selecting.length > 0) return selecting.some((policy) => lets(cluster, question, policy));
  return tier(cluster, question, "Baseline") !== "Deny";
}

function tier(cluster: OracleCluster, question: OracleQuestion, name: string): string | undefined {
  const { direction, subject } = question;
  const policies = cluster.clusterPolicies
    .filter(({ spec }) => spec.tier === name && isMeant(cluster, spec.subject, subject))
    .toSorted(
      (one, other) =>
        one.spec.priority - other.spec.priority ||
        (one.metadata.name < other.metadata.name ? -1 : 1),
    );
  for (const { spec } of policies) {
    for (const rule of spec[direction] ?? []) {
      const peers = rule.from ?? rule.to ?? [];
      if (!peers.some((peer) => isClusterPeer(cluster, peer, question.peer))) continue;
      if (rule.protocols === undefined) return rule.action;
      const owner = direction === "ingress" ? subject : cluster.pods.find(has(question.peer));
      const isPort = rule.protocols.some((match) => {
        if (match.destinationNamedPort !== undefined) {
          return isNamed(owner, match.destinationNamedPort, question);
        }
        const ports = { TCP: match.tcp, UDP: match.udp, SCTP: match.sctp, ICMP: undefined };
        const wanted = ports[question.protocol]?.destinationPort;
        if (wanted === undefined) return false;
        if (wanted.range === undefined) return wanted.number === question.port;
        return wanted.range.start <= question.port && question.port <= wanted.range.end;
      });
      if (isPort) return rule.action;
    }
  }
  return undefined;
}

function isClusterPeer(
  cluster: OracleCluster,
  peer: NonNullable<NonNullable<ClusterNetworkPolicy["spec"]["egress"]>[number]["to"]>[number],
  address: string,
): boolean {
  if (peer.networks !== undefined) return peer.networks.some((cidr) => isIn(cidr, address));
  if (peer.nodes !== undefined) {
    return cluster.nodes.some(
      ({ labels, addresses }) => selects(peer.nodes, labels) && addresses.includes(address),
    );
  }
  const pod = cluster.pods.find(has(address));
  return pod !== undefined && isMeant(cluster, peer, pod);
}

function isMeant(
  cluster: OracleCluster,
  { namespaces, pods }: ClusterNetworkPolicy["spec"]["subject"],
  pod: OraclePod,
): boolean {
  const labels = cluster.namespaces.get(pod.namespace) ?? {};
  if (namespaces !== undefined) return selects(namespaces, labels);
  return (
    pods !== undefined &&
    selects(pods.namespaceSelector ?? {}, labels) &&
    selects(pods.podSelector ?? {}, pod.labels)
  );
}

function lets(cluster: OracleCluster, question: OracleQuestion, policy: NetworkPolicy): boolean {
  const { direction, subject } = question;
  const { spec, metadata } = policy;
  const rules =
    direction === "ingress"
      ? (spec.ingress ?? []).map(({ from = [], ports = [] }) => ({ peers: from, ports }))
      : (spec.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }));
  const peerPod = cluster.pods.find(has(question.peer));
  return rules.some(({ peers, ports }) => {
    const isPeer =
      peers.length === 0 ||
      peers.some(({ ipBlock, podSelector, namespaceSelector }) => {
        if (ipBlock !== undefined) {
          const { cidr, except = [] } = ipBlock;
          return isIn(cidr, question.peer) && !except.some((hole) => isIn(hole, question.peer));
        }
        if (peerPod === undefined) return false;
        const isThere =
          namespaceSelector === undefined
            ? peerPod.namespace === metadata.namespace
            : selects(namespaceSelector, cluster.namespaces.get(peerPod.namespace) ?? {});
        return isThere && selects(podSelector ?? {}, peerPod.labels);
      });
    const isPort =
      ports.length === 0 ||
      ports.some(({ protocol, port, endPort }) => {
        if (protocol !== question.protocol) return false;
        if (port === undefined) return true;
        if (typeof port === "string") {
          return isNamed(direction === "ingress" ? subject : peerPod, port, question);
        }
        return port <= question.port && question.port <= (endPort ?? port);
      });
    return isPeer && isPort;
  });
}

function isNamed(pod: OraclePod | undefined, name: string, question: OracleQuestion): boolean {
  const ports = pod?.ports ?? [];
  return ports.some(
    (one) => one.name === name && one.protocol === question.protocol && one.port === question.port,
  );
}

function has(address: string): (pod: OraclePod) => boolean {
  return ({ addresses }) => addresses.includes(address);
}

function isIn(cidr: string, text: string): boolean {
  const [prefix, address] = [Prefix.parse(cidr), Address.parse(text)];
  if (prefix.family !== address.family) return false;
  return prefix.first.value <= address.value && address.value <= prefix.last.value;
}

function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const isEqual = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    isEqual &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === "Exists") return value !== undefined;
      if (operator === "DoesNotExist") return value === undefined;
      const isListed = value !== undefined && values.includes(value);
      return operator === "In" ? isListed : !isListed;
    })
  );
}
