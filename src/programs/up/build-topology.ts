import { type Commands, inNamespace } from "../../base/host/command.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import {
  type ClusterHost,
  hostLines,
  hostSettings,
  lanHosts,
  routerLines,
  routerSettings,
  type Topology,
} from "./topology.ts";

/** The directory in which `ip netns` keeps its names; inside of the enclosure nobody else uses it. */
const namespaces = "/run/netns";

/** Builds the topology around the network namespace of this process, which becomes the router. */
export async function buildTopology(topology: Topology, commands: Commands): Promise<void> {
  const hosts = [...lanHosts(topology), topology.outside];
  const ip = systemIp(commands);
  await systemSysctl(commands).write(routerSettings);
  await ip.batch([
    ...hosts.map(({ namespace }) => `netns add ${namespace}`),
    ...routerLines(topology),
  ]);
  await Promise.all(hosts.map((host) => furnish(host, commands)));
}

export function namespacePath({ namespace }: ClusterHost): string {
  return `${namespaces}/${namespace}`;
}

async function furnish(host: ClusterHost, commands: Commands): Promise<void> {
  const inside = inNamespace(commands, namespacePath(host));
  await systemSysctl(inside).write(hostSettings);
  await systemIp(inside).batch(hostLines(host));
}
