// A machine with an API server, which is a node as well unless it shall be none.

import type { Address } from "../../base/net/address.ts";
import { hostPort } from "../../base/net/host-port.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { checkRanges } from "../ranges/ranges.ts";
import type { ClusterNetwork } from "./cluster-network.ts";
import type { MachineFacts } from "./facts.ts";
import {
  checkMachine,
  checkPorts,
  type InstallPlan,
  type PlannedService,
  planServices,
  refused,
} from "./install-plan.ts";
import { listIn, readConfigValues } from "./merge-config.ts";
import { configPath, machinePlaces } from "./places.ts";
import { agentValues, type NodeWishes } from "./plan-agent.ts";
import { type EtcdMembership, etcdPorts, etcdValues } from "./plan-etcd.ts";

export const apiPort = 6443;

export interface ServerWishes extends NodeWishes {
  readonly cluster: ClusterNetwork;
  /** Whether the machine is a node, too. */
  readonly isNode: boolean;
  /** Where objects are kept: the word `embedded`, or the address of an etcd with the files of a client. */
  readonly store: string;
  /** The member of etcd that runs here; `undefined` where the operator has an etcd, or there is none. */
  readonly etcd: EtcdMembership | undefined;
  /** Further names and addresses for the server's certificate. */
  readonly tlsSan: readonly string[];
}

export function planServer(wishes: ServerWishes, facts: MachineFacts): InstallPlan {
  const { cluster, isNode, store, tlsSan } = wishes;
  const hasVips = cluster.apiVips.length > 0;
  const etcd = wishes.etcd === undefined ? [] : ["etcd"];
  const names = [...etcd, "server", ...(isNode ? ["agent"] : []), ...(hasVips ? ["vip"] : [])];
  checkMachine(facts, names);
  checkNetworks(cluster, facts.networks);
  checkUnchanged(wishes, facts);
  checkVips(wishes, facts);
  checkPorts(facts, {
    etcd: wishes.etcd === undefined ? [] : Object.values(etcdPorts),
    server: [apiPort],
    agent: isNode ? [10_250, 10_248] : [],
  });
  const addresses = wishes.nodeIp.length > 0 ? wishes.nodeIp : facts.addresses;
  const services: PlannedService[] = [
    ...etcdService(wishes, addresses, facts),
    {
      name: "server",
      values: {
        listen: addresses.map((address) => hostPort(address, apiPort)),
        serviceCidr: cluster.serviceCidr.map(String),
        clusterCidr: cluster.podCidr.map(String),
        kubeconfigOut: machinePlaces.kubeconfig,
        store,
        ...(wishes.etcd !== undefined && { etcdPki: machinePlaces.etcdPki }),
        ...(tlsSan.length + cluster.apiVips.length > 0 && {
          tlsSan: [...cluster.apiVips.map(String), ...tlsSan],
        }),
      },
    },
  ];
  if (isNode) {
    const own = { ...wishes, nodeIp: addresses };
    services.push({ name: "agent", values: agentValues(own, serverUrl(addresses)) });
  }
  if (hasVips) {
    services.push({
      name: "vip",
      values: { kubeconfig: machinePlaces.kubeconfig, node: wishes.nodeName ?? facts.hostname },
    });
  }
  const node = isNode ? (wishes.nodeName ?? facts.hostname) : undefined;
  return { role: "server", node, ...planServices(facts, services) };
}

function etcdService(
  { etcd, nodeName }: ServerWishes,
  addresses: readonly Address[],
  facts: MachineFacts,
): PlannedService[] {
  if (etcd === undefined) return [];
  const present = facts.configuration.get(configPath("etcd"));
  const values = etcdValues(nodeName ?? facts.hostname, addresses, { ...etcd, present });
  return [{ name: "etcd", values }];
}

/** The URL of a server by its first address. */
export function serverUrl([address]: readonly Address[]): string {
  if (address === undefined) throw refused("this machine has no address of its own");
  return `https://${hostPort(address, apiPort)}`;
}

/** What a cluster keeps for good: a server that is installed again must not be told otherwise. */
function checkUnchanged({ cluster, store }: ServerWishes, facts: MachineFacts): void {
  const present = readConfigValues(facts.configuration.get(configPath("server")));
  const wanted: Readonly<Record<string, string | readonly string[]>> = {
    serviceCidr: cluster.serviceCidr.map(String),
    clusterCidr: cluster.podCidr.map(String),
    store,
  };
  for (const [key, value] of Object.entries(wanted)) {
    const had = listIn(present, key);
    if (had === undefined || had.join() === String(value)) continue;
    throw refused(
      `${configPath("server")} has ${key}=${had.join()}, which cannot become ${String(value)}`,
      "'tandem reset' removes what is there.",
    );
  }
}

function checkNetworks(
  { podCidr, serviceCidr }: ClusterNetwork,
  networks: readonly Prefix[],
): void {
  checkRanges({ podCidr, serviceCidr }, { nodes: 1 });
  for (const network of networks) {
    const clash = [...podCidr, ...serviceCidr].find((range) => range.overlaps(network));
    if (clash === undefined) continue;
    throw refused(
      `${clash} overlaps ${network}, a network of this machine`,
      "Choose others with --pod-cidr and --service-cidr.",
    );
  }
}

function checkVips({ cluster, store, isNode }: ServerWishes, facts: MachineFacts): void {
  const vips = [...cluster.apiVips, ...cluster.ingressVips];
  if (vips.length === 0) return;
  if (store === "embedded") {
    throw refused(
      "virtual addresses are for several servers, which share an etcd",
      "Leave out --etcd=false, or name one with --etcd-servers.",
    );
  }
  if (!isNode)
    throw refused("virtual addresses are held by nodes, and --node=false makes this none");
  const own = vips.find((vip) => facts.addresses.some((address) => address.equals(vip)));
  if (own !== undefined) throw refused(`${own} is an address of this machine, not a virtual one`);
  const foreign = vips.find((vip) => !facts.networks.some((network) => network.contains(vip)));
  if (foreign !== undefined) {
    throw refused(
      `${foreign} is in none of this machine's networks (${facts.networks.join(", ")})`,
    );
  }
}
