// Makes the kernel pass bridged packets to rules of the IP families. Without it neither services nor policies
// hold between pods of one bridge: rules do not see their packets.

import type { CallOptions, Commands } from "./command.ts";
import { HostError } from "./error.ts";
import type { Sysctl } from "./sysctl.ts";

const settings = {
  "net/bridge/bridge-nf-call-iptables": 1,
  "net/bridge/bridge-nf-call-ip6tables": 1,
};

/**
 * Switches the settings on, and loads the kernel module that they come with where it is missing. Nothing is written
 * where they are on already: in a container they can only be read.
 */
export async function showBridgedPackets(
  { sysctl, commands }: { readonly sysctl: Sysctl; readonly commands: Commands },
  options: CallOptions,
): Promise<void> {
  try {
    await keepBridgedPackets(sysctl, options);
    return;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
  await commands.run(["modprobe", "br_netfilter"], options);
  await sysctl.write(settings, options);
}

/** Switches the settings on again; returns whether they had been off. */
export async function keepBridgedPackets(sysctl: Sysctl, options: CallOptions): Promise<boolean> {
  const values = await sysctl.read(Object.keys(settings), options);
  if (values.every((value) => value === "1")) return false;
  await sysctl.write(settings, options);
  return true;
}
