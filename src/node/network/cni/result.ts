import { defined } from "../../../base/json/defined.ts";
import { isObject } from "../../../base/json/value.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { Fields } from "./fields.ts";
import { type Json } from "./json.ts";
import { type CniVersion, isAtLeast } from "./versions.ts";

/** The result of an attachment, the same for all versions. */
export interface CniResult {
  readonly interfaces: readonly ResultInterface[];
  /** The addresses in the plugin's order. */
  readonly ips: readonly ResultAddress[];
  readonly routes: readonly ResultRoute[];
  readonly dns: ResultDns;
}

interface ResultInterface {
  readonly name: string;
  readonly mac?: string;
  readonly mtu?: number;
  /** The container's namespace; absent for interfaces of the host. */
  readonly sandbox?: string;
}

interface ResultAddress {
  readonly address: Address;
  readonly prefix: Prefix;
  readonly gateway?: Address;
  readonly interface?: ResultInterface;
}

interface ResultRoute {
  readonly destination: Prefix;
  readonly gateway?: Address;
  readonly mtu?: number;
  readonly priority?: number;
}

interface ResultDns {
  readonly nameservers: readonly string[];
  readonly domain?: string;
  readonly search: readonly string[];
  readonly options: readonly string[];
}

export function parseResult(json: unknown, plugin: string): CniResult {
  const fields = new Fields(json, `the result of ${plugin}`);
  const interfaces = fields.objects("interfaces").map(parseInterface);
  const dns = fields.object("dns");
  const domain = dns?.text("domain");
  return {
    interfaces,
    ips: fields.objects("ips").map((ip) => parseAddress(ip, interfaces)),
    routes: fields.objects("routes").map(parseRoute),
    dns: {
      nameservers: dns?.texts("nameservers") ?? [],
      ...defined({ domain }),
      search: dns?.texts("search") ?? [],
      options: dns?.texts("options") ?? [],
    },
  };
}

/**
 * Converts a result: before 1.0.0 each address has its family as well. All other fields, known or not, are
 * kept.
 */
export function convertResult(json: Json, version: CniVersion): Json {
  const ips: unknown = json["ips"];
  const convert = (ip: unknown): unknown => {
    if (!isObject(ip)) return ip;
    const { version: _, ...rest } = ip;
    if (isAtLeast(version, "1.0.0")) return rest;
    return { version: String(ip["address"]).includes(":") ? "6" : "4", ...rest };
  };
  return { ...json, cniVersion: version, ...(Array.isArray(ips) && { ips: ips.map(convert) }) };
}

function parseInterface(fields: Fields): ResultInterface {
  const mac = fields.text("mac");
  const mtu = fields.wholeNumber("mtu");
  const sandbox = fields.text("sandbox");
  return {
    name: fields.requiredText("name"),
    ...defined({ mac, mtu, sandbox }),
  };
}

function parseAddress(fields: Fields, interfaces: readonly ResultInterface[]): ResultAddress {
  const prefix = fields.read("address", Prefix.parse);
  if (prefix === undefined) throw fields.refused("address", "it is missing");
  const gateway = fields.read("gateway", Address.parse);
  const index = fields.wholeNumber("interface");
  const link = index === undefined ? undefined : interfaces[index];
  if (index !== undefined && link === undefined) {
    throw fields.refused("interface", `there are ${interfaces.length} interfaces`);
  }
  return {
    address: Address.parse(fields.requiredText("address").replace(/\/.*/, "")),
    prefix,
    ...defined({ gateway, interface: link }),
  };
}

function parseRoute(fields: Fields): ResultRoute {
  const destination = fields.read("dst", Prefix.parse);
  if (destination === undefined) throw fields.refused("dst", "it is missing");
  const gateway = fields.read("gw", Address.parse);
  const mtu = fields.wholeNumber("mtu");
  const priority = fields.wholeNumber("priority");
  return {
    destination,
    ...defined({ gateway, mtu, priority }),
  };
}
