import type { Address } from "../../../base/net/address.ts";
import { readAddress, type Warn } from "./addresses.ts";
import type { Fields, JsonObject } from "./fields.ts";
import type { FixedAddress } from "./fixed.ts";
import type { PoolRange } from "./range.ts";

/** Reads `gateway`: one address, or a comma-separated list with both families. */
export function readGateways(
  ipam: Fields,
  ranges: readonly PoolRange[],
  warn: Warn,
): readonly Address[] {
  const texts = ipam.text("gateway")?.split(",") ?? [];
  return texts.map((text) => {
    const gateway = readAddress(text.trim(), { field: "ipam.gateway", warn });
    const isUsed = ranges.some(({ prefix }) => prefix.family === gateway.family);
    if (!isUsed && ranges.length > 0) {
      warn(`ipam.gateway ${gateway.toString()} has no effect: no range is ${gateway.family}`);
    }
    return gateway;
  });
}

interface Surroundings {
  readonly gateways: readonly Address[];
  readonly fixed: readonly FixedAddress[];
  readonly network: JsonObject;
}

/** Gives every range its gateway, and excludes the addresses of gateways, bridges and fixed addresses. */
export function keepGateways(ranges: readonly PoolRange[], around: Surroundings): PoolRange[] {
  const withGateway = ranges.map((range) => {
    const gateway = range.gateway ?? gatewayFor(range, ranges, around.gateways);
    return gateway === undefined ? range : { ...range, gateway };
  });
  const kept = [
    ...withGateway.flatMap(({ gateway }) => gateway ?? []),
    ...around.fixed.flatMap(({ address, gateway }) => [address, gateway ?? address]),
  ];
  return withGateway.map((range) => ({
    ...range,
    excluded: [...kept, ...bridgeAddress(range, around.network)]
      .filter((address) => range.prefix.contains(address))
      .reduce((excluded, address) => excluded.add(address), range.excluded),
  }));
}

/**
 * Finds the gateway of a range: a gateway serves the ranges that contain it, and one that no range
 * contains serves all of its family.
 */
function gatewayFor(
  range: PoolRange,
  ranges: readonly PoolRange[],
  gateways: readonly Address[],
): Address | undefined {
  const ownFamily = gateways.filter(({ family }) => family === range.prefix.family);
  const isHeld = (gateway: Address) => ranges.some(({ prefix }) => prefix.contains(gateway));
  return (
    ownFamily.find((gateway) => range.prefix.contains(gateway)) ??
    ownFamily.find((gateway) => !isHeld(gateway))
  );
}

/**
 * Returns the address that the bridge plugin gives its bridge: without a gateway from this plugin, the
 * network's first.
 */
function bridgeAddress({ prefix, gateway }: PoolRange, network: JsonObject): Address[] {
  const isGateway = network.isGateway === true || network.isDefaultGateway === true;
  return isGateway && gateway === undefined && prefix.size > 2n ? [prefix.at(1n)] : [];
}
