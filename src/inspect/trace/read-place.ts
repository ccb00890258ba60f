import type { CallOptions } from "../../base/host/command.ts";
import { Address } from "../../base/net/address.ts";
import type { CabledPlace } from "./cables.ts";

/** Reads the addresses and devices of a namespace. */
export async function readPlace(
  place: Pick<CabledPlace, "name" | "commands" | "inode">,
  options: CallOptions = {},
): Promise<CabledPlace> {
  const { stdout } = await place.commands.run(["ip", "-json", "address", "show"], options);
  const devices = JSON.parse(stdout === "" ? "[]" : stdout) as readonly RawDevice[];
  const addresses = devices
    .flatMap(({ addr_info = [] }) => addr_info)
    .flatMap(({ local }) => Address.tryParse(local ?? "") ?? []);
  return {
    ...place,
    addresses: addresses.filter((one) => !one.isLoopback && !one.isLinkLocal),
    devices: devices.map((raw) => ({
      index: raw.ifindex,
      far:
        raw.link_netnsid === undefined || raw.link_index === undefined
          ? undefined
          : { namespace: raw.link_netnsid, index: raw.link_index },
    })),
  };
}

interface RawDevice {
  readonly ifindex: number;
  readonly link_index?: number;
  readonly link_netnsid?: number;
  readonly addr_info?: readonly { readonly local?: string }[];
}
