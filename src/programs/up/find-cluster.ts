// Finds a running cluster, and the ways into it.

import { UsageError } from "../../base/program/errors.ts";
import { runningRecord } from "./bring-up.ts";
import type { ClusterMachine } from "./machine.ts";
import { dataPlaces } from "./places.ts";
import { firstChild } from "./processes.ts";
import type { ClusterRecord } from "./record.ts";
import { type ClusterSettings, readSettings } from "./settings.ts";
import { type ClusterHost, lanHosts, type Topology, topologyOf } from "./topology.ts";

export interface FoundCluster {
  readonly record: ClusterRecord;
  readonly settings: ClusterSettings;
  readonly topology: Topology;
  /** The first process of the enclosure, by its PID on this machine. */
  readonly init: number;
}

/** Finds a cluster by name; throws if it does not run. */
export async function findCluster(machine: ClusterMachine, name: string): Promise<FoundCluster> {
  const { records, files } = machine;
  const record = await runningRecord(records, name);
  const init = record === undefined ? undefined : await firstChild(record.pid);
  if (record === undefined || init === undefined) throw await notRunning(machine, name);
  const text = await files.read(dataPlaces(record.dataDir).settings);
  if (text === undefined) throw new Error(`Cannot read the settings of ${name}: they are gone`);
  const settings = readSettings(text);
  return { record, settings, topology: topologyOf(settings), init };
}

/** Lists the servers, the nodes and the host outside. */
export function hostsOf(topology: Topology): readonly ClusterHost[] {
  return [...lanHosts(topology), topology.outside];
}

/** Returns the path by which a file of the enclosure is reached from the machine. */
export function fromOutside({ init }: FoundCluster, path: string): string {
  return `/proc/${init}/root${path}`;
}

/** Runs a command in the enclosure, in the given network namespace (a path inside of the enclosure). */
export function enter(
  cluster: FoundCluster,
  { isRoot }: Pick<ClusterMachine, "isRoot">,
  network: string,
): readonly string[] {
  return [
    "nsenter",
    `--target=${cluster.init}`,
    ...(isRoot ? [] : ["--user", "--preserve-credentials"]),
    "--mount",
    "--pid",
    "--ipc",
    "--uts",
    `--net=${fromOutside(cluster, network)}`,
    "--",
  ];
}

async function notRunning({ records }: ClusterMachine, name: string): Promise<UsageError> {
  const others = (await records.names()).filter((other) => other !== name);
  const hint =
    others.length === 0
      ? "'tandem up' brings one up."
      : `There is ${others.join(", ")}: name it with --name.`;
  return new UsageError(`Cannot find cluster ${name}: it does not run`, { hint });
}
