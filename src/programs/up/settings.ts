// What a cluster on this machine is like. It is kept with its data, so that it comes back the same.

import { Address } from "../../base/net/address.ts";
import { type Family, families, otherFamily } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type ClusterRanges, checkRanges, firstNodeOffset } from "../../install/ranges/ranges.ts";
import {
  type ControlPlaneSettings,
  isHighlyAvailable,
  withVirtualAddresses,
} from "./virtual-addresses.ts";

export const networks = ["bridge", "ptp"] as const;
export const ipams = ["host-local", "tandem"] as const;
export const routings = ["direct", "vxlan"] as const;
export const proxyModes = ["nftables", "iptables", "ipvs"] as const;
export const stores = ["embedded", "etcd"] as const;

export interface ClusterSettings extends ClusterRanges, ControlPlaneSettings {
  readonly name: string;
  readonly nodes: number;
  readonly network: (typeof networks)[number];
  readonly ipam: (typeof ipams)[number];
  readonly route: (typeof routings)[number];
  readonly proxyMode: (typeof proxyModes)[number];
  readonly store: (typeof stores)[number];
  /** Whether the cluster has a DNS server of its own. */
  readonly dns: boolean;
  /** Whether Ingresses are served, by nginx. */
  readonly ingress: boolean;
  /** The API server's, in the nodes' range; at most one per family. */
  readonly advertise: readonly Address[];
  /** Whether this machine itself reaches nodes, pods and services. */
  readonly hostAccess: boolean;
  /** Namespaces or pods that may use images of the machine's programs, besides the cluster's own. */
  readonly allowHostImage: readonly string[];
}

/** What the user said; the rest is as it was before, or usual. */
export type GivenSettings = {
  readonly [Key in keyof ClusterSettings]?: ClusterSettings[Key] | undefined;
} & {
  readonly name: string;
};

export const usualRanges: Readonly<Record<keyof ClusterRanges, string>> = {
  podCidr: "10.244.0.0/16,fd00:10:244::/56",
  serviceCidr: "10.96.0.0/16,fd00:10:96::/112",
  nodeCidr: "192.168.111.0/24,fd00:111::/64",
};

const usual = {
  nodes: 3,
  network: "bridge",
  ipam: "host-local",
  route: "direct",
  proxyMode: "nftables",
  store: "embedded",
  dns: true,
  ingress: false,
  advertise: [],
  controlPlanes: 1,
  apiVips: [],
  ingressVips: [],
  hostAccess: false,
  allowHostImage: [],
} as const;

/** These may be others when the cluster comes up again. */
const changeable: readonly (keyof ClusterSettings)[] = [
  "nodes",
  "proxyMode",
  "dns",
  "ingress",
  "hostAccess",
  "allowHostImage",
];

export function resolveSettings(given: GivenSettings, stored?: ClusterSettings): ClusterSettings {
  const said = saidOf(given);
  checkName(given.name);
  const settings: ClusterSettings = {
    ...usual,
    ...(stored ?? rangesLike(given)),
    ...said,
    name: given.name,
  };
  if (stored !== undefined) checkUnchanged(stored, settings);
  const machines = isHighlyAvailable(settings) ? settings.controlPlanes : 0;
  checkRanges(settings, { nodes: settings.nodes + machines });
  checkAdvertised(settings);
  if (isHighlyAvailable(settings)) checkSeveral(settings, said);
  return withVirtualAddresses(
    isHighlyAvailable(settings) ? { ...settings, store: "etcd" } : settings,
    { nodeCidr: settings.nodeCidr, families: familiesOf(settings) },
  );
}

/** The families of the cluster, the services' first one first. */
export function familiesOf({ podCidr, serviceCidr }: ClusterRanges): readonly Family[] {
  return [...new Set([...serviceCidr, ...podCidr].map(({ family }) => family))];
}

export function settingsText(settings: ClusterSettings): string {
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

type Lists = keyof ClusterRanges | AddressLists;
type AddressLists = "advertise" | "apiVips" | "ingressVips";
type Written = Omit<ClusterSettings, Lists | "controlPlanes" | "allowHostImage"> &
  Record<keyof ClusterRanges, string[]> &
  Partial<
    Record<AddressLists, string[]> & Pick<ClusterSettings, "controlPlanes" | "allowHostImage">
  >;

/** Reads what `settingsText` wrote. */
export function readSettings(text: string): ClusterSettings {
  const written = JSON.parse(text) as Written;
  const prefixes = (key: keyof ClusterRanges): Prefix[] => written[key].map(Prefix.parse);
  // A cluster of an earlier version has fewer of them.
  const addresses = (key: AddressLists): Address[] => (written[key] ?? []).map(Address.parse);
  return {
    ...written,
    podCidr: prefixes("podCidr"),
    serviceCidr: prefixes("serviceCidr"),
    nodeCidr: prefixes("nodeCidr"),
    controlPlanes: written.controlPlanes ?? 1,
    allowHostImage: written.allowHostImage ?? [],
    advertise: addresses("advertise"),
    apiVips: addresses("apiVips"),
    ingressVips: addresses("ingressVips"),
  };
}

/**
 * Ranges that were not named have the families, and their order, of the pods' range, or of the nodes'.
 * That of services says which family is first, not which there are: pods have both under one of them.
 */
function rangesLike({ podCidr, serviceCidr, nodeCidr }: Partial<GivenSettings>): ClusterRanges {
  const [first] = serviceCidr ?? [];
  const both = first === undefined ? families : [first.family, otherFamily(first.family)];
  const model = (podCidr ?? nodeCidr)?.map(({ family }) => family) ?? both;
  const range = (key: keyof ClusterRanges): Prefix[] => {
    const prefixes = usualRanges[key].split(",").map(Prefix.parse);
    return model.flatMap((family) => prefixes.find((each) => each.family === family) ?? []);
  };
  return {
    podCidr: podCidr ?? range("podCidr"),
    serviceCidr: serviceCidr ?? range("serviceCidr"),
    nodeCidr: nodeCidr ?? range("nodeCidr"),
  };
}

/** The first address is the router's, and nodes have theirs from some offset on. */
function checkAdvertised({ advertise, nodeCidr }: ClusterSettings): void {
  for (const address of advertise) {
    const range = nodeCidr.find((prefix) => prefix.contains(address));
    const offset = range === undefined ? 0n : address.offsetFrom(range.first);
    if (offset > 1n && offset < firstNodeOffset) continue;
    const places = nodeCidr.map((each) => `${each.at(2n)}-${each.at(firstNodeOffset - 1n)}`);
    throw new UsageError(
      `Cannot use advertise=${address}: the API server has an address of ${places.join(", ")}`,
    );
  }
}

/** Several servers have their objects in one place, and their own addresses. */
function checkSeveral({ advertise }: ClusterSettings, { store }: Partial<ClusterSettings>): void {
  if (store === "embedded") {
    throw new UsageError("Cannot use store=embedded: several control planes share an etcd");
  }
  if (advertise.length > 0) {
    throw new UsageError(
      `Cannot use advertise=${advertise.join()}: several control planes are reached at apiVips`,
    );
  }
}

function checkName(name: string): void {
  if (name.length <= longestName && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) return;
  const state = `a name is made of at most ${longestName} lower-case letters, digits and hyphens`;
  throw new UsageError(`Cannot use name=${name}: ${state}`);
}

/** An interface's name, and every path that has the cluster's name in it, is short. */
const longestName = 30;

function checkUnchanged(stored: ClusterSettings, wanted: ClusterSettings): void {
  for (const key of Object.keys(stored) as (keyof ClusterSettings)[]) {
    const [had, wants] = [String(stored[key]), String(wanted[key])];
    if (had === wants || changeable.includes(key)) continue;
    if (isFurtherVip(key, stored, wanted)) continue;
    throw new UsageError(`Cannot use ${key}=${wants}: cluster ${stored.name} has ${key}=${had}`, {
      hint: `'tandem down --name ${stored.name}' removes it; then it can be made anew.`,
    });
  }
  if (wanted.nodes < stored.nodes) {
    throw new UsageError(
      `Cannot use nodes=${wanted.nodes}: cluster ${stored.name} has ${stored.nodes} nodes already`,
    );
  }
}

/** The first virtual address of each use is there to stay; the second may come, change and go. */
function isFurtherVip(
  key: keyof ClusterSettings,
  stored: ClusterSettings,
  wanted: ClusterSettings,
): boolean {
  if (key !== "apiVips" && key !== "ingressVips") return false;
  const [[had], [wants]] = [stored[key], wanted[key]];
  return had !== undefined && wants !== undefined && had.equals(wants);
}

/** Commands have further options. */
function saidOf(given: GivenSettings): Partial<ClusterSettings> {
  const entries = Object.entries(given).filter(([key, value]) => isKey(key) && value !== undefined);
  return Object.fromEntries(entries);
}

function isKey(key: string): boolean {
  return key in usual || key in usualRanges;
}
