import { defined } from "../../../base/json/defined.ts";
import { isObject } from "../../../base/json/value.ts";
import { type CniVersion, parseVersion } from "../versions.ts";
import {
  type InterfaceAddress,
  readAddress,
  readInterfaceAddress,
  readPrefix,
  type Warn,
} from "./addresses.ts";
import { type CanonicalRange, canonicalRanges } from "./canonical.ts";
import { type DatastoreSettings, readDatastore } from "./datastore.ts";
import { Fields, invalidField, type JsonObject } from "./fields.ts";
import { type FixedAddress, readFixedAddresses } from "./fixed.ts";
import { readFlatFile } from "./flat-file.system.ts";
import { keepGateways, readGateways } from "./gateways.ts";
import { isKnownKey, isKnownRangeKey } from "./keys.ts";
import { type LogSettings, readLog } from "./log.ts";
import { merge } from "./merge.ts";
import { type PoolRange, parseRange } from "./range.ts";
import { parseSliceLength } from "./slice-size.ts";

/** A network configuration, parsed. */
export interface Configuration {
  readonly cniVersion: CniVersion;
  /** The `name` of the network. */
  readonly name: string;
  /** The ranges; a pod gets one address of each, in this order. */
  readonly ranges: readonly PoolRange[];
  /** The fixed addresses, which every pod gets in addition. */
  readonly fixed: readonly FixedAddress[];
  /** The addresses that are asked for through the `ips` capability. */
  readonly requested: readonly InterfaceAddress[];
  readonly routes: readonly JsonObject[];
  readonly dns?: JsonObject;
  /** The name of the network among whose pools no address is handed out twice. */
  readonly networkName: string;
  readonly uniqueAcrossPools: boolean;
  /** The time for which a released address is kept for a pod of the same name. */
  readonly stickySeconds: number;
  readonly nodeName?: string;
  readonly datastore: DatastoreSettings;
  readonly log: LogSettings;
  readonly network: JsonObject;
  /** The keys that are not understood, kept for whoever reads the configuration next. */
  readonly unknown: JsonObject;
  readonly warnings: readonly string[];
}

const types = ["tandem-ipam", "whereabouts"];

export function parseConfiguration(network: JsonObject): Configuration {
  const warnings: string[] = [];
  const warn: Warn = (message) => warnings.push(message);
  const cniVersion = parseVersion(network.cniVersion);
  const inline = ipamOf(network);
  const ipam = new Fields(mergeFlatFile(inline), "ipam");
  const own = readRanges(ipam, warn);
  const gateways = readGateways(ipam, own.ranges, warn);
  const fixed = readFixedAddresses(ipam, own.written, warn);
  const ranges = keepGateways(own.ranges, { gateways, fixed, network });
  if (ranges.length === 0 && fixed.length === 0) {
    throw invalidField("ipam", "it has neither range, ipRanges nor addresses");
  }
  const nodeName = ipam.text("node_name");
  return {
    cniVersion,
    name: nameOf(network),
    ranges,
    fixed,
    requested: readRequested(network, warn),
    routes: checkRoutes(ipam.objects("routes"), warn),
    ...(ipam.has("dns") ? { dns: ipam.object("dns")?.json ?? {} } : {}),
    networkName: ipam.text("network_name") ?? "",
    uniqueAcrossPools: ipam.flag("enable_overlapping_ranges") ?? true,
    stickySeconds: ipam.wholeNumber("sticky_seconds") ?? 0,
    ...defined({ nodeName }),
    datastore: readDatastore(ipam),
    log: readLog(ipam, warn),
    network,
    unknown: unknownKeys(ipam, warn),
    warnings,
  };
}

/** The names that the CNI specification allows. */
const networkName = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

function nameOf(network: JsonObject): string {
  const name = new Fields(network, "network").text("name");
  if (name === undefined) throw invalidField("name", "the network must have one");
  if (networkName.test(name)) return name;
  const state = "it must be of letters, digits, dots, underscores and hyphens";
  throw invalidField(`name ${JSON.stringify(name)}`, state);
}

function ipamOf(network: JsonObject): JsonObject {
  const { ipam } = network;
  if (!isObject(ipam)) throw invalidField("ipam", "it must be an object");
  if (typeof ipam.type !== "string" || !types.includes(ipam.type)) {
    throw invalidField(
      `ipam.type ${JSON.stringify(ipam.type ?? null)}`,
      `it must be one of ${types.map((type) => `'${type}'`).join(", ")}`,
    );
  }
  return ipam;
}

function mergeFlatFile(inline: JsonObject): JsonObject {
  const flat = readFlatFile(new Fields(inline, "ipam").text("configuration_path"));
  return merge(inline, flat?.fields ?? {});
}

function readRanges(
  ipam: Fields,
  warn: Warn,
): { ranges: PoolRange[]; written: readonly CanonicalRange[] } {
  const written = canonicalRanges(ipam);
  const ranges = written.map((one) => {
    const range = parseRange(one, warn);
    const own = one.fields.node_slice_size;
    const size = own ?? ipam.text("node_slice_size");
    if (size === undefined) return range;
    const name = own === undefined ? `${ipam.path}.node_slice_size` : one.nameOf("node_slice_size");
    return { ...range, sliceLength: parseSliceLength(size, range.prefix, name) };
  });
  return { ranges, written };
}

/** Reads the requested addresses: `runtimeConfig.ips` of the capability, or the older `args.cni.ips`. */
function readRequested(network: JsonObject, warn: Warn): InterfaceAddress[] {
  const top = new Fields(network, "network");
  const runtime = top.object("runtimeConfig")?.texts("ips") ?? [];
  const args = top.object("args")?.object("cni")?.texts("ips") ?? [];
  return [...runtime, ...args].map((text) => {
    const bits = text.includes(":") ? 128 : 32;
    const withLength = text.includes("/") ? text : `${text}/${bits}`;
    return readInterfaceAddress(withLength, { field: "runtimeConfig.ips", warn });
  });
}

function unknownKeys(ipam: Fields, warn: Warn): JsonObject {
  for (const list of ["ipRanges", "ips"]) {
    for (const range of ipam.objects(list)) {
      for (const key of Object.keys(range.json)) {
        if (!isKnownRangeKey(key)) warn(`${range.path}.${key} is not known: it has no effect`);
      }
    }
  }
  const unknown = Object.entries(ipam.json).filter(([key]) => !isKnownKey(key));
  for (const [key] of unknown) warn(`ipam.${key} is not known: it has no effect`);
  return Object.fromEntries(unknown);
}

/** Checks that routes are valid; they are passed on as they are. */
function checkRoutes(routes: readonly Fields[], warn: Warn): JsonObject[] {
  return routes.map((route) => {
    const destination = route.text("dst");
    if (destination === undefined) throw route.refused("dst", "it must be set");
    readPrefix(destination, { field: `${route.path}.dst`, warn });
    const gateway = route.text("gw");
    if (gateway !== undefined) readAddress(gateway, { field: `${route.path}.gw`, warn });
    return route.json;
  });
}
