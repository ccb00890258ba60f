// One hollow node: the parts of the agent that talk to the API, on a machine that runs nothing.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Client } from "../../api/client/client.ts";
import { EventRecorder } from "../../api/client/events.ts";
import { named } from "../../api/client/field-selectors.ts";
import { Informers } from "../../api/client/informer.ts";
import { isSidecar } from "../../api/kinds/pod.ts";
import type { Node, NodeSystemInfo } from "../../api/types/core.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import type { Random } from "../../base/host/random.ts";
import type { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import type { Part } from "../../base/program/run-all.ts";
import { runAll } from "../../base/program/run-all.ts";
import { openPods } from "../../node/pods/pods.ts";
import type { ContainerLabels } from "../../node/runtime/runtime.ts";
import { heartbeat, NodeRegistration, nodeStatus, Readiness } from "../../node/status/status.ts";
import { firstFamilyOf, parseLabels, parseTaints } from "../agent/agent.ts";
import { HollowContainers } from "./containers.ts";
import { hollowImages } from "./images.ts";
import { hollowCommands, hollowMachine } from "./machine.ts";
import { HollowNetwork } from "./network.ts";
import { drawn } from "./random.ts";
import { HollowSandboxes } from "./sandboxes.ts";
import type { HollowSettings } from "./settings.ts";
import { type Seen, watchesOf } from "./watches.ts";

export interface HollowNode {
  readonly name: string;
  readonly addresses: readonly Address[];
  readonly podCidrs: readonly Prefix[];
  readonly client: Client;
  readonly random: Random;
  readonly info: NodeSystemInfo;
  /** Renews the node's certificates, if it has its own. */
  readonly keep: readonly Part[];
  readonly seen?: Seen | undefined;
}

const clock = systemClock;
const gib = 2 ** 30;
const hollowLabel = { "tandem.internal/hollow": "true" };

export async function runHollowNode(
  settings: HollowSettings,
  node: HollowNode,
  signal: AbortSignal,
): Promise<void> {
  const { name, addresses, client, random } = node;
  const log = settings.log.child({ node: name });
  const informers = new Informers({ clock, random, log });
  const nodes = client.resource("v1", "Node");
  const informer = informers.of(nodes, named(name));
  const description = {
    name,
    hostname: name,
    addresses,
    // No server answers: there are no logs to read, and nothing to execute.
    port: 0,
    maxPods: settings.maxPods,
    labels: { ...hollowLabel, ...parseLabels(settings.nodeLabels) },
    taints: parseTaints(settings.registerWithTaints),
    podCidrs: node.podCidrs,
    info: systemInfo(node),
  };
  const supplies = suppliesOf(settings);
  const readiness = new Readiness(["network"], () => registration.refresh());
  const registration = new NodeRegistration({
    nodes,
    informer,
    description,
    supplies: () => Promise.resolve(supplies),
    missing: () => readiness.missing,
    clock,
    log: quiet(log),
  });
  const cidrs = () => podCidrsOf(informer.get(name));
  const hasNetwork = Promise.withResolvers<void>();
  informer.subscribe(() => {
    if (cidrs().length === 0) return;
    readiness.ready("network");
    hasNetwork.resolve();
  });
  const events = client.resource("v1", "Event");
  const component = "tandem-agent";
  const recorder = new EventRecorder({ events, component, host: name, clock, random, log });
  const network = new HollowNetwork(cidrs);
  const sandboxes = new HollowSandboxes(network, random);
  const containers = new HollowContainers({
    clock,
    endsAfter: (labels) => endOf(labels, { sandboxes, settings, random }),
  });
  const directory = join(settings.dataDir, name);
  const pods = openPods(
    {
      node: name,
      client,
      informers,
      recorder,
      containers,
      images: hollowImages({ clock, random, readyAfter: settings.readyAfter }),
      network,
      commands: hollowCommands,
      clock,
      random,
      log,
      directories: {
        run: join(directory, "run"),
        data: join(directory, "data"),
        logs: join(directory, "logs"),
      },
      hostAddresses: addresses,
      firstFamily: await firstFamilyOf(client, { clock, log }, signal),
      dns: { servers: [], domain: "cluster.local" },
      allocatable: nodeStatus(description, supplies).allocatable ?? {},
    },
    { sandboxes, machine: hollowMachine },
  );
  const parts: Part[] = [
    { name: "informers", run: (stop) => informers.run(stop) },
    registration,
    heartbeat({
      leases: client.resource("coordination.k8s.io/v1", "Lease"),
      nodeName: name,
      node: () => registration.node(),
      clock,
      log,
    }),
    recorder,
    {
      name: pods.name,
      async run(stop) {
        await Promise.race([hasNetwork.promise, aborted(stop)]);
        if (!stop.aborted) await pods.run(stop);
      },
    },
    ...watchesOf({
      node: name,
      client,
      groups: settings.watches,
      seen: node.seen,
      clock,
      random,
      log,
    }),
    ...node.keep,
  ];
  try {
    await runAll(parts, signal);
  } finally {
    containers.close();
  }
}

interface EndParts {
  readonly sandboxes: HollowSandboxes;
  readonly settings: HollowSettings;
  readonly random: Random;
}

/** Init containers have nothing to do; others of pods that do not restart end after a drawn time, if any. */
function endOf({ podUid, container }: ContainerLabels, parts: EndParts): number | undefined {
  const { sandboxes, settings, random } = parts;
  const spec = sandboxes.podOf(podUid)?.spec;
  const early = spec?.initContainers?.find(({ name }) => name === container);
  if (early !== undefined) return isSidecar(early) ? undefined : 0;
  const isRestarted = (spec?.restartPolicy ?? "Always") === "Always";
  return isRestarted || settings.endAfter === undefined
    ? undefined
    : drawn(settings.endAfter, random);
}

function podCidrsOf(node: Node | undefined): readonly Prefix[] {
  return (node?.spec.podCIDRs ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
}

/** Returns what the machine is said to be; the ids are of the node's name, so that no two nodes share one. */
function systemInfo({ info, name }: HollowNode): NodeSystemInfo {
  const id = createHash("sha256").update(name).digest("hex").slice(0, 32);
  const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return {
    ...info,
    machineID: id,
    systemUUID: uuid,
    bootID: uuid,
    containerRuntimeVersion: info.containerRuntimeVersion.replace(/^\w+/, "hollow"),
  };
}

function suppliesOf({ cpus, memoryGib }: HollowSettings) {
  const [memory, disk, count] = [memoryGib * gib, 100 * gib, 1_000_000];
  return {
    cpus,
    memoryBytes: memory,
    memoryFreeBytes: memory,
    diskBytes: disk,
    diskFreeBytes: disk,
    inodes: count,
    inodesFree: count,
    tasks: 1,
    tasksMost: count,
  };
}

/** A thousand nodes would each tell that they are registered and ready. */
function quiet(log: HollowSettings["log"]): HollowSettings["log"] {
  return { ...log, info: (message, fields) => log.debug(message, fields) };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}
