import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import { Address } from "../../base/net/address.ts";
import { bitsOf } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { platforms, vipUses } from "./platforms.ts";

/** Rewrites an install-config without deprecated fields; comments and order stay. */
export function migrateInstallConfig(text: string): string {
  const document = parseDocument(text);
  const root = document.contents;
  if (!isMap(root)) return text;
  const version = pairOf(root, "apiVersion");
  if (version !== undefined) version.value = new Scalar("v1");
  migrateNetworking(childOf(root, "networking"));
  migratePlatforms(childOf(root, "platform"));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function migrateNetworking(networking: YAMLMap | undefined): void {
  if (networking === undefined) return;
  const convert = converterOf(networking);
  convert("clusterNetworks", "clusterNetwork", (value) => value);
  convert("machineCIDR", "machineNetwork", (value) => listOf(mapOf("cidr", value)));
  convert("serviceCIDR", "serviceNetwork", listOf);
  convert("type", "networkType", (value) => value);
  const entries = networking.get("clusterNetwork");
  for (const entry of isSeq(entries) ? entries.items : []) {
    if (!isMap(entry)) continue;
    const prefix = Prefix.tryParse(String(entry.get("cidr")));
    converterOf(entry)("hostSubnetLength", "hostPrefix", (value) => {
      const length = isScalar(value) ? Number(value.value) : 0;
      return new Scalar(bitsOf(prefix?.family ?? "IPv4") - length);
    });
  }
}

function migratePlatforms(given: YAMLMap | undefined): void {
  if (given === undefined) return;
  for (const platform of platforms) {
    const fields = childOf(given, platform.name);
    if (fields === undefined) continue;
    for (const use of vipUses) {
      const { single, list } = platform.fields[use];
      converterOf(fields)(single, list, listOf);
      const vips = fields.get(list);
      if (platform.isIPv4First && isSeq(vips)) putIPv4First(vips);
    }
  }
}

type Converter = (from: string, to: string, convert: (value: unknown) => unknown) => void;

/** A converter that replaces an old field by the new one, or drops it when the new one is present. */
function converterOf(map: YAMLMap): Converter {
  return (from, to, convert) => {
    const [present, deprecated] = [pairOf(map, to), pairOf(map, from)];
    if (present !== undefined) rename(present, to);
    if (deprecated === undefined) return;
    if (present !== undefined && !isEmpty(present.value)) {
      map.items.splice(map.items.indexOf(deprecated), 1);
      return;
    }
    if (present !== undefined) map.items.splice(map.items.indexOf(present), 1);
    rename(deprecated, to);
    deprecated.value = convert(deprecated.value);
  };
}

function putIPv4First(vips: YAMLSeq): void {
  const [first, second] = vips.items.map((item) =>
    Address.tryParse(isScalar(item) ? String(item.value) : ""),
  );
  if (vips.items.length === 2 && first?.family === "IPv6" && second?.family === "IPv4") {
    vips.items.reverse();
  }
}

/** The pair of this name, in whatever case it is written. */
function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return (
    map.items.find((pair) => isPair(pair) && keyOf(pair) === name) ??
    map.items.find((pair) => isPair(pair) && keyOf(pair).toLowerCase() === name.toLowerCase())
  );
}

function childOf(map: YAMLMap, name: string): YAMLMap | undefined {
  const pair = pairOf(map, name);
  if (pair === undefined) return undefined;
  rename(pair, name);
  return isMap(pair.value) ? pair.value : undefined;
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** Renames a key, which keeps its comments. */
function rename(pair: Pair, name: string): void {
  if (isScalar(pair.key)) pair.key.value = name;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    (isScalar(value) && (value.value ?? "") === "") ||
    (isSeq(value) && value.items.length === 0)
  );
}

function listOf(value: unknown): YAMLSeq {
  const list = new YAMLSeq();
  list.items.push(value);
  return list;
}

function mapOf(key: string, value: unknown): YAMLMap {
  const map = new YAMLMap();
  map.set(key, value);
  return map;
}
