// A machine that is a node of a cluster whose server is elsewhere.

import type { Address } from "../../base/net/address.ts";
import { dnsAddresses } from "../ranges/ranges.ts";
import type { ClusterNetwork } from "./cluster-network.ts";
import type { MachineFacts } from "./facts.ts";
import { checkMachine, checkPorts, type InstallPlan, planServices } from "./install-plan.ts";
import type { ConfigValues } from "./merge-config.ts";

export interface NodeWishes {
  readonly cluster: ClusterNetwork;
  readonly nodeName: string | undefined;
  readonly nodeIp: readonly Address[];
  readonly registerWithTaints: readonly string[];
}

export function planAgent(
  wishes: NodeWishes & { readonly server: string },
  facts: MachineFacts,
): InstallPlan {
  checkMachine(facts, ["agent"]);
  checkPorts(facts, { agent: [10_250, 10_248] });
  const services = [{ name: "agent", values: agentValues(wishes, wishes.server) }];
  const node = wishes.nodeName ?? facts.hostname;
  return { role: "agent", node, ...planServices(facts, services) };
}

/** The configuration of an agent. It has no secret: the machine joins before its agent starts. */
export function agentValues(wishes: NodeWishes, server: string): ConfigValues {
  const { cluster, nodeName, nodeIp, registerWithTaints } = wishes;
  return {
    server,
    clusterCidr: cluster.podCidr.map(String),
    clusterDns: dnsAddresses(cluster),
    network: cluster.network,
    ipam: cluster.ipam,
    route: cluster.route,
    proxyMode: cluster.proxyMode,
    // The cluster's own pods for DNS and ingress run images of this machine's programs.
    allowHostImage: ["kube-system"],
    ...(nodeName !== undefined && { nodeName }),
    ...(nodeIp.length > 0 && { nodeIp: nodeIp.map(String) }),
    ...(registerWithTaints.length > 0 && { registerWithTaints }),
  };
}
