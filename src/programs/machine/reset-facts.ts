// Finds everything that a role has left on this machine.

import { join } from "node:path";
import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { parseMountinfo } from "../../base/host/mountinfo.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { systemCode } from "../../base/program/errors.ts";
import {
  configPath,
  machinePlaces,
  mountedBelow,
  ownPaths,
  type ResetFacts,
  readConfigValues,
} from "../../install/machine/machine.ts";
import { networkTraces } from "../../node/network/network.ts";
import { cgroupMounts } from "../../node/runtime/runtime.ts";
import { changedSettings } from "./kernel-settings.ts";
import { hasSystemd, readUnits } from "./read-facts.ts";

export const agentUnit = "tandem-agent.service";
const ownTable = /^tandem[-_]/;

export async function readResetFacts(commands: Commands): Promise<ResetFacts> {
  const units = [...(await readUnits(commands))]
    .filter(([, { isActive, isEnabled }]) => isActive || isEnabled)
    .map(([unit]) => unit);
  const groups = await cgroupsOf(machinePlaces.cgroup);
  const unitGroups = (await agentCgroup(commands)).map(cgroupsOf);
  const members = await Promise.all(
    [...groups, ...(await Promise.all(unitGroups)).flat()].map(processesIn),
  );
  const tables = (await systemNft(commands).tables()).filter(({ name }) => ownTable.test(name));
  return {
    units,
    member: await ownPeerUrl(),
    processes: new Set(members.flat()).size,
    network: await networkTraces({ commands }),
    tables: tables
      .filter(({ name }) => name !== "tandem-masquerade")
      .map(({ family, name }) => `${family} ${name}`),
    mounts: await mountsBelow(mountedBelow),
    cgroups: groups,
    settings: await changedSettings(commands),
    paths: (await Promise.all(ownPaths.map(existing))).flat(),
  };
}

/** The URL by which other members of etcd know this machine's, as long as it is configured. */
async function ownPeerUrl(): Promise<string | undefined> {
  const values = readConfigValues(await systemFiles.read(configPath("etcd")));
  const url = values["initial-advertise-peer-urls"];
  return typeof url === "string" ? url : undefined;
}

/** The cgroup of the agent's unit, in which monitors of containers outlive it. */
export async function agentCgroup(commands: Commands): Promise<readonly string[]> {
  if (!(await hasSystemd())) return [];
  const ask = ["systemctl", "show", "--property=ControlGroup", "--value", agentUnit];
  const { stdout } = await commands.run(ask);
  const told = stdout.trim();
  // A unit that has stopped tells none, though processes that it left may be in it.
  return told === "" ? [`/system.slice/${agentUnit}`] : [told];
}

async function cgroupsOf(path: string): Promise<readonly string[]> {
  const mounts = cgroupMounts((await systemFiles.read("/proc/self/mountinfo")) ?? "");
  const found = await Promise.all(
    mounts.map(async ({ directory }) => await existing(join(directory, path))),
  );
  return found.flat();
}

async function processesIn(cgroup: string): Promise<readonly string[]> {
  const names = await systemFiles.list(cgroup);
  const own = ((await systemFiles.read(join(cgroup, "cgroup.procs"))) ?? "").split("\n");
  const inner = names.filter((name) => !name.includes(".") || name.length > 32);
  const deeper = await Promise.all(
    inner.map(async (name) =>
      (await isDirectory(join(cgroup, name))) ? processesIn(join(cgroup, name)) : [],
    ),
  );
  return [...own.filter(Boolean), ...deeper.flat()];
}

async function isDirectory(path: string): Promise<boolean> {
  return (await listed(path)).length > 0;
}

/** The names in a directory; none if it is a file. */
async function listed(path: string): Promise<readonly string[]> {
  try {
    return await systemFiles.list(path);
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

async function existing(path: string): Promise<readonly string[]> {
  const names = await systemFiles.list(join(path, ".."));
  return names.includes(path.slice(path.lastIndexOf("/") + 1)) ? [path] : [];
}

async function mountsBelow(directories: readonly string[]): Promise<readonly string[]> {
  const text = (await systemFiles.read("/proc/self/mountinfo")) ?? "";
  const points = parseMountinfo(text).map(({ point }) => point);
  return points.filter((point) => directories.some((each) => point.startsWith(`${each}/`)));
}
