// What a network leaves open about its addresses, as this node has it: where reservations are kept, and
// how the API is reached. A network that says so itself is left as it is.

import { join } from "node:path";
import { isObject } from "../../../../base/json/value.ts";
import { type NetworkConfiguration, parseNetwork } from "../configuration.ts";
import { type Json } from "../json.ts";

export interface IpamDefaults {
  /** Where plugins keep reservations on this machine; each at its own usual place when not given. */
  readonly dataDirectory?: string | undefined;
  /** How our own plugin reaches the API. */
  readonly kubeconfig: string;
  /** This machine as a node. */
  readonly node: string;
  /** The names that our own plugin is found under here. */
  readonly ownTypes: readonly string[];
}

export function completeIpam(
  network: NetworkConfiguration,
  defaults: IpamDefaults,
): NetworkConfiguration {
  let isChanged = false;
  const plugins = network.plugins.map(({ source }) => {
    const { ipam } = source;
    if (!isObject(ipam)) return source;
    const added = additionsTo(ipam, defaults);
    if (Object.keys(added).length === 0) return source;
    isChanged = true;
    return { ...source, ipam: { ...ipam, ...added } };
  });
  if (!isChanged) return network;
  return parseNetwork({ ...network.source, plugins }, { where: `network ${network.name}` });
}

function additionsTo(ipam: Json, defaults: IpamDefaults): Json {
  const { dataDirectory, kubeconfig, node, ownTypes } = defaults;
  const type = String(ipam["type"]);
  if (type === "host-local") {
    const isOpen = dataDirectory !== undefined && isUnset(ipam["dataDir"]);
    return isOpen ? { dataDir: join(dataDirectory, type) } : {};
  }
  // A file of settings says all of this, for whoever wrote it.
  if (!ownTypes.includes(type) || !isUnset(ipam["configuration_path"])) return {};
  const named = isUnset(ipam["node_name"]) ? { node_name: node } : {};
  switch (ipam["datastore"] ?? "kubernetes") {
    case "local": {
      const isOpen = dataDirectory !== undefined && isUnset(ipam["data_dir"]);
      return { ...named, ...(isOpen && { data_dir: join(dataDirectory, "tandem-ipam") }) };
    }
    case "kubernetes": {
      const given = isObject(ipam["kubernetes"]) ? ipam["kubernetes"] : {};
      // Credentials of this cluster are not for a server that a network names itself.
      const roots = [given["k8s_api_root"], ipam["k8s_api_root"]];
      const isOpen = isUnset(given["kubeconfig"]) && roots.every(isUnset);
      return { ...named, ...(isOpen && { kubernetes: { ...given, kubeconfig } }) };
    }
    default:
      return named;
  }
}

/** Templates leave empty texts behind. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
