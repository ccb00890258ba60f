import { defined } from "../../../base/json/defined.ts";
import type { Address } from "../../../base/net/address.ts";
import { readAddress, readInterfaceAddress } from "../config/addresses.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Environment } from "../environment.ts";
import { IpamError, messageOf } from "../errors.ts";
import type { Assignment } from "../result.ts";

interface Wishes {
  /** The addresses to reserve in the ranges. */
  readonly requested: readonly Address[];
  /** The addresses that are handed out in addition, without a reservation. */
  readonly fixed: readonly Assignment[];
}

/** Reads the addresses that a configuration and CNI_ARGS ask for. */
export function readWishes(configuration: Configuration, args: Environment["args"]): Wishes {
  const isInRange = ({ address }: { address: Address }) =>
    configuration.ranges.some(({ prefix }) => prefix.contains(address));
  const named = readNamed(args);
  return {
    requested: [...configuration.requested, ...named.filter(isInRange)].map((one) => one.address),
    fixed: [
      ...configuration.fixed.map(({ prefix, ...rest }) => ({ ...rest, length: prefix.length })),
      ...named.filter((one) => !isInRange(one)),
    ],
  };
}

/** Reads `IP` and `GATEWAY` of CNI_ARGS: lists of addresses, each with the gateway of its family. */
function readNamed(args: Environment["args"]): Assignment[] {
  const spot = { field: "CNI_ARGS", warn: () => undefined };
  const elements = (text: string | undefined) =>
    (text ?? "").split(",").filter((one) => one !== "");
  try {
    const gateways = elements(args.GATEWAY).map((text) => readAddress(text.trim(), spot));
    return elements(args.IP).map((text) => {
      const bits = text.includes(":") ? 128 : 32;
      const withLength = text.includes("/") ? text.trim() : `${text.trim()}/${bits}`;
      const { address, prefix } = readInterfaceAddress(withLength, spot);
      const gateway = gateways.find(({ family }) => family === address.family);
      return { address, length: prefix.length, ...defined({ gateway }) };
    });
  } catch (error) {
    throw new IpamError("invalidEnvironment", messageOf(error), error);
  }
}
