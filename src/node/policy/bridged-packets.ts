// Packets between pods of one bridge meet policies only if the kernel shows them.

import type { CallOptions } from "../../base/host/command.ts";
import { HostError } from "../../base/host/error.ts";
import type { Sysctl } from "../../base/host/sysctl.ts";

const settings = {
  "net/bridge/bridge-nf-call-iptables": 1,
  "net/bridge/bridge-nf-call-ip6tables": 1,
};

/** Says whether they had been hidden. A kernel that has no such settings has no bridge to hide them. */
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
