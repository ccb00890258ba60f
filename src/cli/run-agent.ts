// Runs a node: what joins the cluster is loaded first, the rest while the server answers.
import { hostname } from "node:os";
import { findNodePlaces } from "../agent/node/addresses.ts";
import { systemCommands } from "../host/command.system.ts";
import { systemFiles } from "../host/files.system.ts";
import { systemIp } from "../host/ip.system.ts";
import { firstOfEachFamily } from "../net/list.ts";
import { Registry } from "../program/metrics.ts";
import { registerProcessMetrics } from "../program/process-metrics.ts";
import { becomeNode } from "./run-agent-join.ts";
import type { AgentSettings } from "./run-agent-settings.ts";

export async function runAgent(settings: AgentSettings, signal: AbortSignal): Promise<void> {
  const { dataDir, runDir } = settings;
  const name = settings.nodeName ?? hostname().toLowerCase();
  const metrics = new Registry();
  registerProcessMetrics(metrics);
  await systemFiles.makePrivateDirectory(dataDir);
  await systemFiles.makePrivateDirectory(runDir);
  const given = firstOfEachFamily(settings.nodeIp).used;
  const places = await findNodePlaces(systemIp(systemCommands()), given);
  const addresses = places.map(({ address }) => address);
  if (addresses.length === 0) {
    throw new Error("Cannot run a node: this machine has no address; name one with --node-ip");
  }
  const [membership, { runNode }] = await Promise.all([
    becomeNode(settings, { name, addresses, metrics }, signal),
    import("./run-agent-node.ts"),
  ]);
  try {
    await runNode(settings, { name, places, metrics, membership }, signal);
  } finally {
    membership.client.transport.close();
  }
}
