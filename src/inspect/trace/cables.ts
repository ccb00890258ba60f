// Finds out which namespaces veth pairs and other devices with two ends connect.

import type { CallOptions, Commands } from "../../base/host/command.ts";
import { CommandError } from "../../base/host/error.ts";
import type { Place } from "./places.ts";

interface Device {
  readonly index: number;
  /**
   * The device's other end, if that is in another namespace. Each namespace numbers the others in its own
   * way.
   */
  readonly far: { readonly namespace: number; readonly index: number } | undefined;
}

export interface CabledPlace extends Place {
  readonly inode: number;
  readonly devices: readonly Device[];
}

/** Returns the name of a cluster's host from the name of its namespace. */
export function shortName(name: string): string {
  return /^tandem_[^_]+_(.+)$/.exec(name)?.[1] ?? name;
}

export async function placesAround(
  from: CabledPlace,
  places: readonly CabledPlace[],
  options: CallOptions = {},
): Promise<readonly CabledPlace[]> {
  const found = new Set([from]);
  for (const near of found) {
    if (near.devices.every(({ far }) => far === undefined)) continue;
    const inodes = await numberedNamespaces(near, places, options);
    for (const device of near.devices) {
      for (const far of places) if (leadsTo(device, far, inodes)) found.add(far);
    }
  }
  return [...found];
}

/**
 * Whether the device leads to this place. If the namespace's number is unknown, devices are compared: rather
 * one place too many than one too few.
 */
function leadsTo(
  { index, far }: Device,
  place: CabledPlace,
  inodes: ReadonlyMap<number, number>,
): boolean {
  if (far === undefined) return false;
  const inode = inodes.get(far.namespace);
  if (inode !== undefined) return inode === place.inode;
  return place.devices.some((one) => one.index === far.index && one.far?.index === index);
}

/**
 * Returns the inodes of namespaces by the numbers that this namespace gives them: lsns knows those with
 * processes, ip those with names.
 */
async function numberedNamespaces(
  { commands }: CabledPlace,
  places: readonly CabledPlace[],
  options: CallOptions,
): Promise<ReadonlyMap<number, number>> {
  const [namespaces, withName] = await Promise.all([
    namespacesOfProcesses(commands, options),
    commands.run(["ip", "-json", "netns", "list-id"], options),
  ]);
  const names = JSON.parse(withName.stdout || "[]") as readonly RawName[];
  return new Map([
    ...names.flatMap(({ nsid, name }): [number, number][] => {
      const place = places.find((one) => one.name === name || one.name === shortName(name ?? ""));
      return place === undefined ? [] : [[nsid, place.inode]];
    }),
    ...namespaces
      .filter(({ netnsid }) => /^\d+$/.test(netnsid))
      .map(({ ns, netnsid }): [number, number] => [Number(netnsid), ns]),
  ]);
}

/** lsns gives up without a message if a process ends while it is read, so it is tried again. */
const tries = 10;

async function namespacesOfProcesses(
  commands: Commands,
  options: CallOptions,
): Promise<readonly RawNamespace[]> {
  const command = ["lsns", "--json", "--type", "net", "--output", "NS,NETNSID"];
  for (let left = tries; left > 0; left--) {
    try {
      const { stdout } = await commands.run(command, options);
      return (JSON.parse(stdout) as { readonly namespaces: readonly RawNamespace[] }).namespaces;
    } catch (error) {
      const hasGivenUp = error instanceof CommandError && error.exitCode === 1;
      if (!hasGivenUp || error.stderr !== "") throw error;
    }
  }
  return [];
}

interface RawNamespace {
  readonly ns: number;
  readonly netnsid: string;
}

interface RawName {
  readonly nsid: number;
  readonly name?: string;
}
