// The kernel's settings that agents change. They are written down before a machine gets its role, so that it
// can be given back as it was.

import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import { machinePlaces } from "../../install/machine/machine.ts";

export type KernelSettings = Readonly<Record<string, string>>;

const ofMachine = [
  "net/ipv4/ip_forward",
  "net/ipv6/conf/all/forwarding",
  "net/ipv6/conf/default/accept_dad",
  "net/ipv4/conf/all/route_localnet",
  "net/bridge/bridge-nf-call-iptables",
  "net/bridge/bridge-nf-call-ip6tables",
];
const ofLink = (link: string) => [
  `net/ipv4/conf/${link}/rp_filter`,
  `net/ipv6/conf/${link}/accept_ra`,
];

/** Writes the present settings down, unless an earlier installation has. */
export async function rememberSettings(commands: Commands): Promise<void> {
  if ((await systemFiles.read(machinePlaces.before)) !== undefined) return;
  const settings = await presentSettings(commands);
  await systemFiles.write(machinePlaces.before, `${JSON.stringify(settings, undefined, 2)}\n`);
}

/** Returns the settings that are not as they were, with the values to give back. */
export async function changedSettings(commands: Commands): Promise<KernelSettings> {
  const text = await systemFiles.read(machinePlaces.before);
  if (text === undefined) return {};
  const before = JSON.parse(text) as KernelSettings;
  const present = await presentSettings(commands);
  return Object.fromEntries(
    Object.entries(before).filter(([key, value]) => key in present && present[key] !== value),
  );
}

export async function restoreSettings(commands: Commands, settings: KernelSettings): Promise<void> {
  await systemSysctl(commands).write(settings);
}

async function presentSettings(commands: Commands): Promise<KernelSettings> {
  const links = (await systemIp(commands).links()).map(({ name }) => name);
  const lasting = links.filter((name) => !/^(veth|cbr0$|tandem\.)/.test(name));
  const keys = [...ofMachine, ...["all", ...lasting].flatMap(ofLink)];
  const entries = await Promise.all(
    keys.map(async (key) => {
      const text = await systemFiles.read(`/proc/sys/${key}`);
      return text === undefined ? [] : [[key, text.trim()] as const];
    }),
  );
  return Object.fromEntries(entries.flat());
}
