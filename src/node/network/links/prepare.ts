// Prepares the node for its first pod.
import { join } from "node:path";
import { showBridgedPackets } from "../../../base/host/bridged-packets.ts";
import type { CallOptions, Commands } from "../../../base/host/command.ts";
import { HostError } from "../../../base/host/error.ts";
import type { Files } from "../../../base/host/files.ts";
import type { Ip } from "../../../base/host/ip.ts";
import type { Sysctl } from "../../../base/host/sysctl.ts";
import type { Log } from "../../../base/program/log.ts";
import type { NodePlace } from "../../status/status.ts";
import { bridgeLines, bridgeName } from "./bridge.ts";
import { type ConflistOptions, defaultConflist } from "./conflist.ts";
import { prepareForwarding } from "./forwarding.ts";

export interface PrepareOptions extends ConflistOptions, CallOptions {
  readonly places: readonly NodePlace[];
  /**
   * The directory for the CNI configuration of the default network; if not given, another program writes it.
   */
  readonly confDirectory: string | undefined;
  readonly machine: {
    readonly commands: Commands;
    readonly ip: Ip;
    readonly sysctl: Sysctl;
    readonly files: Files;
  };
  readonly log: Log;
}

const fileName = "10-tandem.conflist";

export async function prepareNetwork(options: PrepareOptions): Promise<void> {
  const { network, podCidrs, mtu, places, confDirectory, machine, signal } = options;
  const { ip, sysctl, files } = machine;
  await prepareForwarding(sysctl, {
    families: [...new Set([...podCidrs.map(({ family }) => family), ...familiesOf(places)])],
    uplinks: [...new Set(places.map(({ link }) => link))],
    newLinksAreOurs: network === "ptp",
  });
  if (confDirectory === undefined) return;
  if (network === "bridge") {
    const links = await ip.links({ signal });
    await ip.batch(bridgeLines({ podCidrs, mtu, links }), { signal });
    await showBridged(options);
    await sysctl.write({ [`net/ipv6/conf/${bridgeName}/accept_dad`]: 0 }, { signal });
  }
  await files.makePrivateDirectory(confDirectory);
  const text = `${JSON.stringify(defaultConflist(options), null, 2)}\n`;
  await files.write(join(confDirectory, fileName), text);
}

/** A node goes on without: pods reach services of other nodes. */
async function showBridged({ machine, log, signal }: PrepareOptions): Promise<void> {
  try {
    await showBridgedPackets(machine, { signal });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    log.warn("Services do not work between pods of this node: br_netfilter is missing", { error });
  }
}

function familiesOf(places: readonly NodePlace[]) {
  return places.map(({ address }) => address.family);
}
