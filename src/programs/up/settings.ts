// Settings of a cluster on this machine. They are kept with its data, so that it comes back the same.

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
  /** Whether the dashboard runs in the cluster, for everybody with a token. */
  readonly dashboard: boolean;
  /** The API server's addresses in the nodes' range, at most one per family. */
  readonly advertise: readonly Address[];
  /** Whether this machine itself reaches nodes, pods and services. */
  readonly hostAccess: boolean;
  /** Namespaces or pods that may use images of the machine's programs, besides the cluster's own pods. */
  readonly allowHostImage: readonly string[];
}

/** The settings that the user gives; the others keep their stored value, or have their default. */
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
  dashboard: false,
  advertise: [],
  controlPlanes: 1,
  apiVips: [],
  ingressVips: [],
  hostAccess: false,
  allowHostImage: [],
} as const;

/** Settings that may change when the cluster comes up again. */
const changeable: readonly (keyof ClusterSettings)[] = [
  "nodes",
  "proxyMode",
  "dns",
  "ingress",
  "dashboard",
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

/** Returns the families of the cluster, the first family of services first. */
export function familiesOf({ podCidr, serviceCidr }: ClusterRanges): readonly Family[] {
  return [...new Set([...serviceCidr, ...podCidr].map(({ family }) => family))];
}

export function settingsText(settings: ClusterSettings): string {
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

type Lists = keyof ClusterRanges | AddressLists;
type AddressLists = "advertise" | "apiVips" | "ingressVips";
type Written = Omit<ClusterSettings, Lists | "controlPlanes" | "allowHostImage" | "dashboard"> &
  Record<keyof ClusterRanges, string[]> &
  Partial<
    Record<AddressLists, string[]> &
      Pick<ClusterSettings, "controlPlanes" | "allowHostImage" | "dashboard">
  >;

/** Reads what `settingsText` wrote. */
export function readSettings(text: string): ClusterSettings {
  const written = JSON.parse(text) as Written;
  const prefixes = (key: keyof ClusterRanges): Prefix[] => written[key].map(Prefix.parse);
  // Settings written by an earlier version lack some lists.
  const addresses = (key: AddressLists): Address[] => (written[key] ?? []).map(Address.parse);
  return {
    ...written,
    podCidr: prefixes("podCidr"),
    serviceCidr: prefixes("serviceCidr"),
    nodeCidr: prefixes("nodeCidr"),
    controlPlanes: written.controlPlanes ?? 1,
    dashboard: written.dashboard ?? false,
    allowHostImage: written.allowHostImage ?? [],
    advertise: addresses("advertise"),
    apiVips: addresses("apiVips"),
    ingressVips: addresses("ingressVips"),
  };
}

/**
 * Completes the ranges: those not given get the families, in order, of the pods' range or else the nodes'.
 * The services' range decides which family is first, not which there are: pods have both families even if
 * services have one.
 */
export function rangesLike({
  podCidr,
  serviceCidr,
  nodeCidr,
}: {
  readonly [Key in keyof ClusterRanges]?: readonly Prefix[] | undefined;
}): ClusterRanges {
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

/**
 * Checks the API server's addresses: the first address of a range is the router's, and those from some offset
 * on are the nodes'.
 */
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

/** Checks settings for several servers, which share one etcd and have addresses of their own. */
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

/** The longest name of a cluster: interface names and socket paths that contain it are limited. */
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

/**
 * Whether only the second virtual address differs: the first of each use must stay, the second may change.
 */
function isFurtherVip(
  key: keyof ClusterSettings,
  stored: ClusterSettings,
  wanted: ClusterSettings,
): boolean {
  if (key !== "apiVips" && key !== "ingressVips") return false;
  const [[had], [wants]] = [stored[key], wanted[key]];
  return had !== undefined && wants !== undefined && had.equals(wants);
}

/** Picks the settings among the options of a command, which has others too. */
function saidOf(given: GivenSettings): Partial<ClusterSettings> {
  const entries = Object.entries(given).filter(([key, value]) => isKey(key) && value !== undefined);
  return Object.fromEntries(entries);
}

function isKey(key: string): boolean {
  return key in usual || key in usualRanges;
}
