// Wires a node: membership, registration, network, containers, pods, services, and the server that the
// API server asks.
import { hostname } from "node:os";
import { findNodePlaces } from "../agent/node/addresses.ts";
import { heartbeat } from "../agent/node/heartbeat.ts";
import { readSupplies, readSystemInfo } from "../agent/node/machine.ts";
import { NodeRegistration } from "../agent/node/registration.ts";
import { Informers } from "../client/informer/informers.ts";
import { systemClock } from "../host/clock.system.ts";
import { systemCommands } from "../host/command.system.ts";
import { systemFiles } from "../host/files.system.ts";
import { systemIp } from "../host/ip.system.ts";
import { systemRandom } from "../host/random.system.ts";
import type { Address } from "../net/address.ts";
import { firstOfEachFamily } from "../net/list.ts";
import type { Prefix } from "../net/prefix.ts";
import { openHealthServer } from "../program/health-server.ts";
import type { ListenAddress } from "../program/listen.ts";
import { Registry } from "../program/metrics.ts";
import { registerProcessMetrics } from "../program/process-metrics.ts";
import { runAll } from "../program/run-all.ts";
import { becomeNode, type JoinSettings } from "./run-agent-join.ts";
import { parseLabels, parseTaints } from "./run-agent-options.ts";

export interface AgentSettings extends JoinSettings {
  readonly nodeName?: string | undefined;
  readonly nodeIp: readonly Address[];
  readonly nodeLabels: readonly string[];
  readonly registerWithTaints: readonly string[];
  readonly maxPods: number;
  readonly runDir: string;
  readonly port: number;
  readonly podCidr: readonly Prefix[];
  readonly healthAddress: readonly ListenAddress[];
}

export async function runAgent(settings: AgentSettings, signal: AbortSignal): Promise<void> {
  const { dataDir, runDir, log } = settings;
  const labels = parseLabels(settings.nodeLabels);
  const taints = parseTaints(settings.registerWithTaints);
  const commands = systemCommands();
  const name = settings.nodeName ?? hostname().toLowerCase();
  const metrics = new Registry();
  registerProcessMetrics(metrics);
  await systemFiles.makePrivateDirectory(dataDir);
  await systemFiles.makePrivateDirectory(runDir);
  const places = await findNodePlaces(systemIp(commands), firstOfEachFamily(settings.nodeIp).used);
  const addresses = places.map(({ address }) => address);
  if (addresses.length === 0) {
    throw new Error("Cannot run a node: this machine has no address; name one with --node-ip");
  }
  const membership = await becomeNode(settings, { name, addresses, metrics }, signal);
  const { client } = membership;
  try {
    const parts = { clock: systemClock, random: systemRandom, log, metrics };
    const informers = new Informers(parts);
    const nodes = client.resource("v1", "Node");
    const informer = informers.of(nodes);
    const registration = new NodeRegistration({
      nodes,
      informer,
      description: {
        name,
        hostname: name,
        addresses,
        port: settings.port,
        maxPods: settings.maxPods,
        labels,
        taints,
        podCidrs: firstOfEachFamily(settings.podCidr).used,
        info: await readSystemInfo(systemFiles),
      },
      supplies: () => readSupplies(systemFiles, dataDir),
      missing: () => [],
      ...parts,
    });
    const health = await openHealthServer({ listen: settings.healthAddress, metrics });
    await runAll(
      [
        { name: "informers", run: (stop) => informers.run(stop) },
        registration,
        heartbeat({
          leases: client.resource("coordination.k8s.io/v1", "Lease"),
          nodeName: name,
          node: () => registration.node(),
          ...parts,
        }),
        membership.keep(() => undefined),
        health,
      ],
      signal,
    );
  } finally {
    client.transport.close();
  }
}
