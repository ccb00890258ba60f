// Runs the node agent. The modules that join the cluster are loaded first, the rest while the server answers.
import { hostname } from "node:os";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { usedOfEachFamily } from "../../base/program/first-of-each-family.ts";
import { Registry } from "../../base/program/metrics.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
import {
  addressesToKeep,
  findNodePlaces,
  keptAddresses,
  type NodePlace,
} from "../../node/status/status.ts";
import { becomeNode, type JoinSettings, serverAddresses } from "./join.ts";
import type { AgentSettings } from "./settings.ts";

export { firstFamilyOf } from "./first-family.ts";
export { becomeNode } from "./join.ts";
export { parseLabels, parseTaints } from "./options.ts";

export async function runAgent(asked: AgentSettings, signal: AbortSignal): Promise<void> {
  const settings = firstOfLists(asked);
  const { dataDir, runDir } = settings;
  const name = settings.nodeName ?? hostname().toLowerCase();
  const metrics = new Registry();
  registerProcessMetrics(metrics);
  await systemFiles.makePrivateDirectory(dataDir);
  await systemFiles.makePrivateDirectory(runDir);
  const places = await ownPlaces(settings);
  const addresses = places.map(({ address }) => address);
  if (addresses.length === 0) {
    throw new Error("Cannot run a node: this machine has no address; name one with --node-ip");
  }
  const [membership, { runNode }] = await Promise.all([
    becomeNode(settings, { name, addresses, metrics }, signal),
    import("./node.ts"),
  ]);
  try {
    await runNode(settings, { name, places, metrics, membership }, signal);
  } finally {
    membership.client.transport.close();
  }
}

function firstOfLists(settings: AgentSettings): AgentSettings {
  const { nodeIp, podCidr, clusterCidr, log } = settings;
  return {
    ...settings,
    nodeIp: usedOfEachFamily(nodeIp, { option: "--node-ip", log }),
    podCidr: usedOfEachFamily(podCidr, { option: "--pod-cidr", log }),
    clusterCidr: usedOfEachFamily(clusterCidr, { option: "--cluster-cidr", log }),
  };
}

/** Finds the addresses of this node: those the user names, or those it had on its last start. */
export async function ownPlaces(
  settings: JoinSettings & Pick<AgentSettings, "nodeIp">,
): Promise<readonly NodePlace[]> {
  const ip = systemIp(systemCommands());
  const given = settings.nodeIp;
  if (given.length > 0) return await findNodePlaces(ip, { given });
  const file = keptAddresses(systemFiles, settings.dataDir);
  const [kept, servers] = await Promise.all([file.read(), serverAddresses(settings)]);
  const places = await findNodePlaces(ip, { given, kept, servers });
  const lost = kept.filter((one) => !places.some(({ address }) => address.equals(one)));
  for (const address of lost) {
    settings.log.warn("This machine has lost an address of its node", { address: String(address) });
  }
  await file.write(addressesToKeep(places, kept));
  return places;
}
