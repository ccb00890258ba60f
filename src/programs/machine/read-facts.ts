// Reads what there is to know of a machine before it gets a role.

import { hostname } from "node:os";
import { join } from "node:path";
import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import type { Address } from "../../base/net/address.ts";
import { families } from "../../base/net/family.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import {
  configPath,
  type MachineFacts,
  machinePlaces,
  services,
  type UnitState,
  unitName,
} from "../../install/machine/machine.ts";
import { findNodePlaces, keptAddresses } from "../../node/status/status.ts";
import { missingPrograms } from "../up/up.ts";

export interface FactsOptions {
  readonly commands: Commands;
  /** The addresses that the user names. */
  readonly nodeIp: readonly Address[];
  readonly network: "bridge" | "ptp";
  /** Whether there are virtual addresses, which take programs of their own. */
  readonly hasVips: boolean;
  readonly ingress: boolean;
  /** Whether a member of etcd runs here. */
  readonly hasEtcd: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function readFacts(options: FactsOptions): Promise<MachineFacts> {
  const { commands, env } = options;
  const { network, hasVips, hasEtcd, ingress } = options;
  const controlPlanes = hasVips ? 3 : 1;
  const store = hasEtcd ? "etcd" : "embedded";
  const wanted = { store, network, controlPlanes, ingress } as const;
  const [found, listeners, units, configuration, missing] = await Promise.all([
    findAddresses(options),
    readListeners(commands),
    readUnits(commands),
    readConfiguration(),
    missingPrograms(wanted, env["PATH"] ?? "/usr/bin:/bin"),
  ]);
  return {
    hostname: hostname().toLowerCase(),
    isRoot: process.geteuid?.() === 0,
    hasSystemd: await hasSystemd(),
    ...found,
    listeners,
    units,
    configuration,
    missing,
  };
}

export async function hasSystemd(): Promise<boolean> {
  return (await systemFiles.list("/run/systemd/system")).length > 0 || isBooted();
}

/** The directory exists, and may be empty, wherever systemd is the first process. */
async function isBooted(): Promise<boolean> {
  return (await systemFiles.list("/run/systemd")).includes("system");
}

async function findAddresses({ commands, nodeIp }: FactsOptions) {
  const ip = systemIp(commands);
  const kept = await keptAddresses(systemFiles, machinePlaces.agent).read();
  const places = await findNodePlaces(ip, { given: nodeIp, kept });
  const all = (await Promise.all(families.map((family) => ip.addresses(family)))).flat();
  const addresses = places.map(({ address }) => address);
  const networks = places.flatMap(({ address, link }) => {
    const own = all.find((one) => one.link === link && one.address.equals(address));
    return own === undefined ? [] : [own.prefix];
  });
  return { addresses, networks: networks satisfies Prefix[] };
}

async function readListeners(commands: Commands): Promise<ReadonlyMap<number, string>> {
  const { stdout } = await commands.run(["ss", "-Hltnp"]);
  const lines = stdout.split("\n").filter(Boolean);
  return new Map(
    lines.flatMap((line) => {
      const [, , , local = "", , ...rest] = line.trim().split(/\s+/);
      const port = Number(local.slice(local.lastIndexOf(":") + 1));
      const name = /"([^"]+)"/.exec(rest.join(" "))?.[1] ?? "another program";
      return Number.isInteger(port) ? [[port, name] as const] : [];
    }),
  );
}

/** Reads the states of our units; one that is not installed has none. */
export async function readUnits(commands: Commands): Promise<ReadonlyMap<string, UnitState>> {
  if (!(await hasSystemd())) return new Map();
  const names = services.map(unitName);
  const properties = "--property=Id,LoadState,ActiveState,UnitFileState";
  const { stdout } = await commands.run(["systemctl", "show", properties, ...names]);
  return new Map(
    stdout.split("\n\n").flatMap((block) => {
      const values = new Map(block.split("\n").map((line) => splitOnce(line)));
      if (values.get("LoadState") !== "loaded") return [];
      const isActive = ["active", "activating", "reloading"].includes(
        values.get("ActiveState") ?? "",
      );
      const isEnabled = values.get("UnitFileState") === "enabled";
      return [[values.get("Id") ?? "", { isActive, isEnabled }] as const];
    }),
  );
}

function splitOnce(line: string): readonly [string, string] {
  const at = line.indexOf("=");
  return [line.slice(0, at), line.slice(at + 1)];
}

async function readConfiguration(): Promise<ReadonlyMap<string, string>> {
  const paths = services.map(({ name }) => configPath(name));
  const texts = await Promise.all(paths.map((path) => systemFiles.read(path)));
  return new Map(
    paths.flatMap((path, index) => {
      const text = texts[index];
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}

export function identityKubeconfig(): string {
  return join(machinePlaces.agent, "identity/kubeconfig");
}
