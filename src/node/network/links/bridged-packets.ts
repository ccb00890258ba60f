// Bridged packets between pods of a node pass the rules of services only with br_netfilter: otherwise the
// answer of a service's backend would reach its neighbour untranslated.
import type { CallOptions, Commands } from "../../../base/host/command.ts";
import { HostError } from "../../../base/host/error.ts";
import type { Sysctl } from "../../../base/host/sysctl.ts";
import type { Log } from "../../../base/program/log.ts";

interface Options extends CallOptions {
  readonly sysctl: Sysctl;
  readonly commands: Commands;
  readonly log: Log;
}

const settings = {
  "net/bridge/bridge-nf-call-iptables": 1,
  "net/bridge/bridge-nf-call-ip6tables": 1,
};

export async function showBridgedPackets(options: Options): Promise<void> {
  const { sysctl, commands, log, signal } = options;
  try {
    await sysctl.write(settings, { signal });
    return;
  } catch (error) {
    // The settings come with a kernel module that may not be loaded yet.
    if (!(error instanceof HostError)) throw error;
  }
  try {
    await commands.run(["modprobe", "br_netfilter"], { signal });
    await sysctl.write(settings, { signal });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    log.warn("Services do not work between pods of this node: br_netfilter is missing", { error });
  }
}
