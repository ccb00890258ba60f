// The pairs of the API, in one place.
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import type { Pair } from "./pair.ts";

const canonicalAddress = (text: string): string => Address.tryParse(text)?.toString() ?? text;
const canonicalPrefix = (text: string): string => Prefix.tryParse(text)?.toString() ?? text;

export const podIPs: Pair = {
  singular: "podIP",
  plural: "podIPs",
  mismatch: "refuse",
  key: "ip",
  kept: ["properties"],
  canonical: canonicalAddress,
};

export const hostIPs: Pair = {
  singular: "hostIP",
  plural: "hostIPs",
  mismatch: "refuse",
  key: "ip",
  canonical: canonicalAddress,
};

export const endpointIPs: Pair = {
  singular: "ip",
  plural: "ips",
  mismatch: "refuse",
  canonical: canonicalAddress,
};

export const podCIDRs: Pair = {
  singular: "podCIDR",
  plural: "podCIDRs",
  mismatch: "refuse",
  canonical: canonicalPrefix,
};

/** The cluster IPs of a service, in which "None" and "" are values of their own. */
export const clusterIPs: Pair = {
  singular: "clusterIP",
  plural: "clusterIPs",
  mismatch: "refuse",
  clearable: true,
  keepsRepeats: true,
  canonical: canonicalAddress,
};
