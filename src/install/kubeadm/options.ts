// Translates kubeadm's configuration, given by `--config`, to our own options.

import type { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { type KubeadmConfiguration, readKubeadm } from "./read.ts";

/** The configuration in the keys of `tandem up`. */
export function upConfigOf(documents: readonly unknown[]): object | undefined {
  const found = readKubeadm(documents);
  if (found === undefined) return undefined;
  const { advertiseAddresses } = found;
  return {
    ...rangesOf(found, "podCidr"),
    ...listed("advertise", advertiseAddresses),
    // The advertised address also determines the network of the machines.
    ...listed("nodeCidr", advertiseAddresses.map(networkAround)),
  };
}

/** The configuration in the keys of `tandem server`. */
export function serverConfigOf(documents: readonly unknown[]): object | undefined {
  const found = readKubeadm(documents);
  if (found === undefined) return undefined;
  const { advertiseAddresses, bindPort, nodeCidrSizes, certificateNames } = found;
  return {
    ...rangesOf(found, "clusterCidr"),
    ...listed(
      "listen",
      advertiseAddresses.map((address) => placeOf(address, bindPort)),
    ),
    ...listed("tlsSan", certificateNames),
    ...Object.fromEntries(
      Object.entries(nodeCidrSizes).map(([family, size]) => [
        `nodeCidrMaskSize${family.replace("IP", "Ip")}`,
        size,
      ]),
    ),
  };
}

function rangesOf({ podSubnets, serviceSubnets }: KubeadmConfiguration, pods: string): object {
  return { ...listed(pods, podSubnets), ...listed("serviceCidr", serviceSubnets) };
}

function listed(key: string, values: readonly { toString(): string }[]): object {
  return values.length === 0 ? {} : { [key]: values.map(String) };
}

function networkAround(address: Address): Prefix {
  return Prefix.of(address, address.family === "IPv4" ? 24 : 64);
}

function placeOf(address: Address, port: number): string {
  return address.family === "IPv4" ? `${address}:${port}` : `[${address}]:${port}`;
}
