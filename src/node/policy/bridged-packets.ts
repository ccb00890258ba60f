// Makes the kernel pass bridged packets to nftables: without it, policies do not see packets between pods of
// one bridge.

import type { CallOptions } from "../../base/host/command.ts";
import { HostError } from "../../base/host/error.ts";
import type { Sysctl } from "../../base/host/sysctl.ts";

const settings = {
  "net/bridge/bridge-nf-call-iptables": 1,
  "net/bridge/bridge-nf-call-ip6tables": 1,
};

/**
 * Switches the settings on; returns whether they had been off. A kernel without them has no bridges that
 * could hide packets.
 */
export async function showBridgedPackets(sysctl: Sysctl, options: CallOptions): Promise<boolean> {
  try {
    const values = await sysctl.read(Object.keys(settings), options);
    if (values.every((value) => value === "1" || value === undefined)) return false;
    await sysctl.write(settings, options);
    return true;
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}
