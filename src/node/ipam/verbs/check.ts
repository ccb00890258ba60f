import { isObject } from "../../../base/json/value.ts";
import { Address } from "../../../base/net/address.ts";
import { IpamError } from "../errors.ts";
import { isAtLeast } from "../versions.ts";
import { attachmentOf, type Call } from "./call.ts";
import { presentPools } from "./pools.ts";

/** CHECK: fails unless the interface has a reservation in every range, one that the previous result names. */
export async function check(call: Call): Promise<void> {
  const { cniVersion } = call.configuration;
  if (!isAtLeast(cniVersion, "0.4.0")) {
    throw new IpamError(
      "incompatibleVersion",
      `Cannot CHECK: cniVersion ${cniVersion} has no CHECK`,
    );
  }
  const holder = attachmentOf(call);
  const ranges = await presentPools(call);
  const who = `container ${holder.containerId}, interface ${holder.ifname}`;
  if (ranges.length < call.configuration.ranges.length) {
    throw new IpamError(
      "unknownContainer",
      `Cannot confirm ${who}: node ${call.node} has no slice`,
    );
  }
  const held = await call.datastore.transact(
    { pools: ranges.map(({ pool }) => pool), holder },
    (view) => view.held.filter(({ containerId }) => containerId === holder.containerId),
  );
  const reported = previousAddresses(call.configuration.network.prevResult);
  for (const { pool, prefix } of ranges) {
    const own = held.filter((reservation) => reservation.pool.name === pool.name);
    if (own.length === 0) {
      throw new IpamError(
        "unknownContainer",
        `Cannot confirm ${who}: it holds no address of ${prefix.toString()}`,
      );
    }
    if (reported === undefined) continue;
    const isReported = ({ address }: { address: Address }) =>
      reported.some((one) => one.equals(address));
    if (!own.some(isReported)) {
      const reserved = own.map(({ address }) => address.toString()).join(", ");
      throw new IpamError(
        "mismatch",
        `Cannot confirm ${who}: it holds ${reserved} of ${prefix.toString()}, which prevResult does not have`,
      );
    }
  }
}

function previousAddresses(result: unknown): Address[] | undefined {
  if (!isObject(result) || !Array.isArray(result.ips)) return undefined;
  return result.ips.flatMap((ip: unknown) => {
    if (!isObject(ip) || typeof ip.address !== "string") return [];
    return Address.tryParse(ip.address.split("/")[0] ?? "") ?? [];
  });
}
