// Reads a NetworkPolicy into the model.

import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "../../../api/types/networking.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import {
  type Direction,
  defaultNetwork,
  type Peer,
  type Policy,
  type PortMatch,
  type Protocol,
  type Rule,
} from "./model.ts";

/** The annotation that names the networks a policy applies to, instead of the default network. */
export const policyForAnnotation = "k8s.v1.cni.cncf.io/policy-for";

export function readNetworkPolicy({ metadata, spec }: NetworkPolicy): Policy {
  const { namespace, name, annotations } = metadata;
  const types = spec.policyTypes ?? ["Ingress", ...(spec.egress?.length ? ["Egress"] : [])];
  const rulesOf = (direction: Direction): readonly Rule[] => {
    const sides =
      direction === "ingress"
        ? (spec.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
        : (spec.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
    return sides.map(({ peers = [], ports = [] }, index) => ({
      action: "accept",
      title: `${direction} rule ${index + 1}`,
      ...(peers.length > 0 && { peers: peers.flatMap((peer) => peerOf(peer, namespace)) }),
      ...(ports.length > 0 && { ports: ports.map(portOf) }),
    }));
  };
  return {
    name: `${namespace}/${name}`,
    tier: "namespace",
    priority: 0,
    subject: { namespace, pods: compileLabelSelector(spec.podSelector ?? {}) },
    networks: networksOf(annotations?.[policyForAnnotation], namespace),
    rules: {
      ...(types.includes("Ingress") && { ingress: rulesOf("ingress") }),
      ...(types.includes("Egress") && { egress: rulesOf("egress") }),
    },
  };
}

/** Parses a list such as `net1,other/net2`; a network without a namespace is in the policy's own. */
function networksOf(text: string | undefined, namespace: string): readonly string[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  const given = names.filter((name) => name !== "");
  if (given.length === 0) return [defaultNetwork];
  return given.map((name) => (name.includes("/") ? name : `${namespace}/${name}`));
}

/** Reads a peer; an empty peer, and a block that cannot be parsed, match nobody. */
function peerOf(peer: NetworkPolicyPeer, namespace: string): readonly Peer[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (ipBlock !== undefined) {
    const block = Prefix.tryParse(ipBlock.cidr);
    const except = (ipBlock.except ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
    return block === undefined ? [] : [{ kind: "block", block, except }];
  }
  const pods = compileLabelSelector(podSelector ?? {});
  if (namespaceSelector === undefined) {
    return podSelector === undefined ? [] : [{ kind: "pods", selection: { namespace, pods } }];
  }
  const namespaces = compileLabelSelector(namespaceSelector);
  return [{ kind: "pods", selection: { namespaces, pods } }];
}

function portOf({ protocol = "TCP", port, endPort }: NetworkPolicyPort): PortMatch {
  const lower = protocol.toLowerCase() as Protocol;
  if (port === undefined) return { protocol: lower, from: 0, to: 65_535 };
  if (typeof port === "string") return { protocol: lower, name: port };
  return { protocol: lower, from: port, to: endPort ?? port };
}
