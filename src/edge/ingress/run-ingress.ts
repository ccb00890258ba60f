// Wires the ingress controller: informers, nginx, status, health.

import type { Client } from "../../api/client/client.ts";
import { EventRecorder } from "../../api/client/events.ts";
import { Informers } from "../../api/client/informer.ts";
import { LeaderElection } from "../../api/client/leader-election.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Commands } from "../../base/host/command.ts";
import type { Files } from "../../base/host/files.ts";
import type { Random } from "../../base/host/random.ts";
import type { Address } from "../../base/net/address.ts";
import { untilStopped } from "../../base/program/health.ts";
import { openHealthServer } from "../../base/program/health-server.system.ts";
import type { ListenAddress } from "../../base/program/listen.system.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import { runAll } from "../../base/program/run-all.ts";
import { ClusterView } from "./runtime/cluster-view.ts";
import { Configuration } from "./runtime/configuration.ts";
import {
  nginxFeatures,
  ownFamilies,
  possibleConnections,
  reachableFamilies,
  workerUser,
} from "./runtime/machine.ts";
import { ingressMetrics } from "./runtime/metrics.ts";
import { Nginx } from "./runtime/nginx.ts";
import { Published } from "./runtime/published.ts";
import { Serving } from "./runtime/serving.ts";

export interface IngressSettings {
  readonly httpListen: readonly ListenAddress[];
  readonly httpsListen: readonly ListenAddress[];
  readonly healthAddress: readonly ListenAddress[];
  readonly ingressClass: string | undefined;
  readonly controllerName: string;
  readonly publishAddress: readonly Address[];
  readonly publishService: string | undefined;
  readonly dataDir: string;
  readonly workers: number;
  readonly drainTimeout: number;
  readonly quietTime: number;
  readonly reloadInterval: number;
  readonly accessLog: boolean;
}

export interface IngressParts {
  readonly client: Client;
  readonly commands: Commands;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Registry;
  /** The identity for leader election, unique to each process. */
  readonly identity: string;
}

export async function runIngress(
  settings: IngressSettings,
  parts: IngressParts,
  signal: AbortSignal,
): Promise<void> {
  const { client, commands, files, clock, log, metrics: registry } = parts;
  const metrics = ingressMetrics(registry);
  const informers = new Informers(parts);
  const { controllerName: controller, ingressClass: className } = settings;
  const view = new ClusterView({ client, informers, controller, className });
  const recorder = new EventRecorder({
    ...parts,
    events: client.resource("v1", "Event"),
    component: "tandem-ingress",
  });
  const { dataDir: directory, drainTimeout: drainMs } = settings;
  const onCrash = () => metrics.crashes.increment();
  const nginx = new Nginx({ directory, commands, files, clock, log, drainMs, onCrash });
  await commands.run(["install", "-d", "-m", "0711", directory]);
  const user = await workerUser(directory, commands);
  if (user === "root") log.warn("nginx's workers run as root: others cannot use its directory");
  const configuration = new Configuration({
    settings: {
      directory,
      httpListen: settings.httpListen,
      httpsListen: settings.httpsListen,
      families: ownFamilies(),
      user,
      workers: settings.workers || undefined,
      connections: await possibleConnections(files),
      drainSeconds: Math.max(1, Math.ceil(drainMs / 1000)),
      logsRequests: settings.accessLog,
      features: await nginxFeatures(commands),
    },
    commands,
    files,
    clock,
    nginx,
    metrics,
  });
  const { publishAddress: addresses, publishService: service } = settings;
  const published = new Published({ ...parts, view, addresses, service, registry });
  const serving = new Serving({
    ...parts,
    view,
    configuration,
    recorder,
    reachable: reachableFamilies,
    onServed: (keys) => published.show(keys),
    quietMs: settings.quietTime,
    reloadIntervalMs: settings.reloadInterval,
    registry,
    metrics,
  });
  const election = new LeaderElection({
    ...parts,
    leases: client.resource("coordination.k8s.io/v1", "Lease"),
    lease: { namespace: "kube-system", name: leaseName(settings) },
    lead: (stop) => published.run(stop),
  });
  await configuration.prepare();
  try {
    await restore(configuration, log);
    const health = await openHealthServer({
      listen: settings.healthAddress,
      metrics: registry,
      ready: [untilStopped(signal), { name: "nginx", check: () => assertServes(configuration) }],
    });
    const following = { name: "informers", run: (stop: AbortSignal) => informers.run(stop) };
    await runAll([following, recorder, serving, election, health], signal);
  } finally {
    await nginx.stop();
  }
}

/** Restores the last configuration; if it fails, e.g. since an address is gone, a new one follows anyway. */
async function restore(configuration: Configuration, log: Log): Promise<void> {
  try {
    if (await configuration.restore()) log.info("Serving as before, until the cluster is read");
  } catch (error) {
    log.warn("Cannot serve as before", { error });
  }
}

/** The name of the leader election's lease: of the controllers that serve a class, one writes the status. */
function leaseName({ ingressClass }: IngressSettings): string {
  return ingressClass === undefined ? "tandem-ingress" : `tandem-ingress-${ingressClass}`;
}

function assertServes({ isInForce }: Configuration): void {
  if (!isInForce) throw new Error("nothing is served yet");
}
