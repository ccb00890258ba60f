// Wires the parts of a node: registration, network, containers, pods, services, policies, and the kubelet API
// that the API server calls.
import { join } from "node:path";
import { Informers } from "../../api/client/informer.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { readSystemDisk } from "../../base/host/disk.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { openHealthServer } from "../../base/program/health-server.system.ts";
import { type Part, runAll } from "../../base/program/run-all.ts";
import { openNodeServer } from "../../node/kubelet-api/kubelet-api.ts";
import { openCniPodNetwork, openNodeNetwork } from "../../node/network/network.ts";
import { checkCgroups, checkContainerPrograms } from "../../node/runtime/runtime.ts";
import { openStats } from "../../node/stats/stats.ts";
import {
  heartbeat,
  NodeRegistration,
  nodeStatus,
  Readiness,
  readSupplies,
  readSystemInfo,
  ServicesState,
  watchContainerPrograms,
} from "../../node/status/status.ts";
import { ipamCredentialsOf, ipamDaemonOf } from "./ipam.ts";
import { parseLabels, parseTaints } from "./options.ts";
import { openNodePods } from "./pods.ts";
import { policiesOf } from "./policies.ts";
import { servicesOf } from "./services.ts";
import type { AgentSettings, NodeParts } from "./settings.ts";

/** The root of this program's installation, which holds its build output too. */
const root = join(import.meta.dirname, "../../..");

export async function runNode(
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
  const description = {
    name,
    hostname: name,
    addresses: places.map(({ address }) => address),
    port: settings.port,
    maxPods: settings.maxPods,
    labels: parseLabels(settings.nodeLabels),
    taints: parseTaints(settings.registerWithTaints),
    podCidrs: settings.podCidr,
    info: await readSystemInfo(systemFiles),
  };
  const disk = { files: systemFiles, readDisk: readSystemDisk, directory: settings.dataDir };
  const supplies = () => readSupplies(disk);
  const { allocatable = {} } = nodeStatus(description, await supplies());
  const readiness = new Readiness(["network", "containers"], () => registration.refresh());
  const services = new ServicesState(() => registration.refresh());
  const registration = new NodeRegistration({
    nodes: client.resource("v1", "Node"),
    informer: nodes,
    description,
    supplies,
    missing: () => readiness.missing,
    services: () => services.findings,
    clock: systemClock,
    log,
  });
  const ipamCredentials = ipamCredentialsOf(settings, {
    ...machine,
    nodes,
    node: name,
    membership,
  });
  const ownConf = settings.cniConfDir === undefined ? join(runDir, "cni/net.d") : undefined;
  const podNetwork = openCniPodNetwork({
    ...machine,
    client,
    log,
    confDirectory: settings.cniConfDir ?? join(runDir, "cni/net.d"),
    binDirectories: [...settings.cniBinDir, join(root, "build")],
    cacheDirectory: join(runDir, "cni/attachments"),
    ipam: {
      dataDirectory: settings.cniDataDir,
      kubeconfig: ipamCredentials.path,
      node: name,
      ownDirectory: join(root, "build"),
    },
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
    kubeconfig: ipamCredentials.path,
    exempt: settings.masquerade
      ? [...settings.clusterCidr, ...settings.nonMasqueradeCidr]
      : undefined,
    confDirectory: ownConf,
    status: (call) => podNetwork.status(call),
    guard: () => podNetwork.guard(),
    readiness,
  });
  const policies = policiesOf(settings, { name, places, metrics, membership });
  const programs = watchContainerPrograms({
    readiness,
    clock: systemClock,
    check: async () => {
      await checkContainerPrograms();
      if (settings.cgroupParent !== "") await checkCgroups(settings.cgroupParent);
    },
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
      allocatable,
      hostAddresses: places.map(({ address }) => address),
      network: policies.guard(podNetwork),
      nodeReady: Promise.all([network.ready, programs.ready]),
      root,
    },
    signal,
  );
  const server = await openNodeServer({
    listen: [{ host: "", port: settings.port }],
    identity: membership.identity,
    pods: running.pods,
    containers: running.containers,
    stats: openStats({
      node: name,
      pods: running.pods,
      containers: running.containers,
      ...disk,
      cgroup: settings.cgroupParent === "" ? undefined : join(settings.cgroupParent, name),
      clock: systemClock,
      now: () => systemClock.now(),
    }),
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
    ipamCredentials.part,
    ...ipamDaemonOf(settings, metrics),
    programs,
    ...policies.parts,
    ...running.parts,
    server,
    await openHealthServer({ listen: settings.healthAddress, metrics }),
    ...servicesOf(settings, {
      name,
      places,
      metrics,
      membership,
      onServices: (families) => services.tell(families),
    }),
  ];
  await runAll(parts, signal);
}
