// Wires a node: membership, registration, network, containers, pods, services, and the server that the
// API server asks.
import { hostname } from "node:os";
import { join } from "node:path";
import { findNodePlaces, type NodePlace } from "../agent/node/addresses.ts";
import { heartbeat } from "../agent/node/heartbeat.ts";
import { readSupplies, readSystemInfo } from "../agent/node/machine.ts";
import { openNodeNetwork } from "../agent/node/network/node-network.ts";
import { Readiness } from "../agent/node/readiness.ts";
import { NodeRegistration } from "../agent/node/registration.ts";
import type { RouteMode } from "../agent/node/routes/plan.ts";
import { openNodeServer } from "../agent/serve/server.ts";
import { Informers } from "../client/informer/informers.ts";
import { systemClock } from "../host/clock.system.ts";
import { systemCommands } from "../host/command.system.ts";
import { systemFiles } from "../host/files.system.ts";
import { systemIp } from "../host/ip.system.ts";
import { systemNft } from "../host/nft.system.ts";
import { systemRandom } from "../host/random.system.ts";
import type { Address } from "../net/address.ts";
import { firstOfEachFamily } from "../net/list.ts";
import type { Prefix } from "../net/prefix.ts";
import { openHealthServer } from "../program/health-server.ts";
import type { ListenAddress } from "../program/listen.ts";
import { Registry } from "../program/metrics.ts";
import { registerProcessMetrics } from "../program/process-metrics.ts";
import { type Part, runAll } from "../program/run-all.ts";
import type { ProxyMode } from "../proxy/modes.ts";
import { becomeNode, type JoinSettings, type Membership } from "./run-agent-join.ts";
import { openCniPodNetwork } from "./run-agent-network.ts";
import { parseLabels, parseTaints } from "./run-agent-options.ts";
import { openNodePods, type PodsSettings } from "./run-agent-pods.ts";

export interface AgentSettings extends JoinSettings, PodsSettings {
  readonly nodeName?: string | undefined;
  readonly nodeIp: readonly Address[];
  readonly nodeLabels: readonly string[];
  readonly registerWithTaints: readonly string[];
  readonly maxPods: number;
  readonly port: number;
  readonly podCidr: readonly Prefix[];
  readonly clusterCidr: readonly Prefix[];
  readonly network: "bridge" | "ptp";
  readonly ipam: "host-local" | "tandem";
  readonly cniConfDir?: string | undefined;
  readonly cniBinDir: readonly string[];
  readonly route: RouteMode;
  readonly masquerade: boolean;
  readonly nonMasqueradeCidr: readonly Prefix[];
  readonly proxyMode: ProxyMode | "none";
  readonly healthAddress: readonly ListenAddress[];
}

/** Where this program is, with what was built of it. */
const root = join(import.meta.dirname, "../..");

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
  const membership = await becomeNode(settings, { name, addresses, metrics }, signal);
  try {
    await runNode(settings, { name, places, metrics, membership }, signal);
  } finally {
    membership.client.transport.close();
  }
}

interface NodeParts {
  readonly name: string;
  readonly places: readonly NodePlace[];
  readonly metrics: Registry;
  readonly membership: Membership;
}

async function runNode(
  settings: AgentSettings,
  { name, places, metrics, membership }: NodeParts,
  signal: AbortSignal,
): Promise<void> {
  const { client } = membership;
  const { log, runDir } = settings;
  const commands = systemCommands();
  const machine = { commands, files: systemFiles, clock: systemClock, random: systemRandom };
  const informers = new Informers({ ...machine, log, metrics });
  const nodes = informers.of(client.resource("v1", "Node"));
  const readiness = new Readiness(["network"], () => registration.refresh());
  const registration = new NodeRegistration({
    nodes: client.resource("v1", "Node"),
    informer: nodes,
    description: {
      name,
      hostname: name,
      addresses: places.map(({ address }) => address),
      port: settings.port,
      maxPods: settings.maxPods,
      labels: parseLabels(settings.nodeLabels),
      taints: parseTaints(settings.registerWithTaints),
      podCidrs: firstOfEachFamily(settings.podCidr).used,
      info: await readSystemInfo(systemFiles),
    },
    supplies: () => readSupplies(systemFiles, settings.dataDir),
    missing: () => readiness.missing,
    clock: systemClock,
    log,
  });
  const ownConf = settings.cniConfDir === undefined ? join(runDir, "cni/net.d") : undefined;
  const podNetwork = openCniPodNetwork({
    ...machine,
    client,
    confDirectory: settings.cniConfDir ?? join(runDir, "cni/net.d"),
    binDirectories: [...settings.cniBinDir, join(root, "build")],
    cacheDirectory: join(runDir, "cni/attachments"),
  });
  const network = openNodeNetwork({
    ...machine,
    log,
    node: name,
    nodes,
    places,
    mode: settings.route,
    network: settings.network,
    ipam: settings.ipam,
    reservations: join(runDir, "cni/reservations"),
    kubeconfig: membership.kubeconfig,
    exempt: settings.masquerade
      ? [...settings.clusterCidr, ...settings.nonMasqueradeCidr]
      : undefined,
    confDirectory: ownConf,
    status: (call) => podNetwork.status(call),
    readiness,
  });
  const running = await openNodePods(
    settings,
    {
      ...machine,
      node: name,
      client,
      informers,
      log,
      metrics,
      hostAddresses: places.map(({ address }) => address),
      network: podNetwork,
      networkReady: network.ready,
      root,
    },
    signal,
  );
  const server = await openNodeServer({
    listen: [{ host: "", port: settings.port }],
    identity: membership.identity,
    pods: running.pods,
    containers: running.containers,
    metrics,
    now: () => systemClock.now(),
    log,
  });
  const parts: Part[] = [
    { name: "informers", run: (stop) => informers.run(stop) },
    registration,
    heartbeat({
      leases: client.resource("coordination.k8s.io/v1", "Lease"),
      nodeName: name,
      node: () => registration.node(),
      clock: systemClock,
      log,
    }),
    membership.keep((identity) => server.renew(identity)),
    network,
    ...running.parts,
    server,
    await openHealthServer({ listen: settings.healthAddress, metrics }),
    ...servicesOf(settings, { name, places, metrics, membership }),
    announcerOf(settings, { name, places, metrics, membership }),
  ];
  await runAll(parts, signal);
}

/** The service proxy, unless somebody else is it. */
function servicesOf(settings: AgentSettings, node: NodeParts): readonly Part[] {
  const { proxyMode: mode, log } = settings;
  if (mode === "none") return [];
  const { name, metrics, places } = node;
  return [
    {
      name: "proxy",
      async run(signal) {
        const { runProxy } = await import("../proxy/run-proxy.ts");
        const { defaultProxySettings } = await import("../proxy/settings.ts");
        await runProxy(
          {
            ...defaultProxySettings,
            node: name,
            mode,
            bindAddress: places.map(({ address }) => address),
            clusterCidr: settings.clusterCidr,
          },
          {
            client: node.membership.client,
            commands: systemCommands(),
            clock: systemClock,
            random: systemRandom,
            log,
            metrics,
          },
          signal,
        );
      },
    },
  ];
}

/** This node's part in the addresses of load balancers. */
function announcerOf({ log }: AgentSettings, node: NodeParts): Part {
  const commands = systemCommands();
  return {
    name: "announcer",
    async run(signal) {
      const { runAnnouncer } = await import("../balancer/announce/run-announcer.ts");
      const { usualPeerPort } = await import("../balancer/announce/peers.ts");
      await runAnnouncer(
        {
          client: node.membership.client,
          nodeName: node.name,
          commands,
          ip: systemIp(commands),
          nft: systemNft(commands),
          peerPort: usualPeerPort,
          clock: systemClock,
          random: systemRandom,
          log,
          metrics: node.metrics,
        },
        signal,
      );
    },
  };
}
