// Completes the IPAM settings that a network leaves open, with this node's: where reservations are kept, and
// how the API is reached. Settings that the network has are left as they are.

import { join } from "node:path";
import { isObject } from "../../../../base/json/value.ts";
import { type NetworkConfiguration, parseNetwork } from "../configuration.ts";
import { type Json } from "../json.ts";

export interface IpamDefaults {
  /** The directory for reservations on this machine; each plugin's own default if not given. */
  readonly dataDirectory?: string | undefined;
  /** The kubeconfig by which our own plugin reaches the API. */
  readonly kubeconfig: string;
  /** The name of this node. */
  readonly node: string;
  /** The names under which our own plugin is installed here. */
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
  // A configuration file has all of these settings already.
  if (!ownTypes.includes(type) || !isUnset(ipam["configuration_path"])) return {};
  const named = isUnset(ipam["node_name"]) ? { node_name: node } : {};
  switch (ipam["datastore"] ?? "kubernetes") {
    case "local": {
      const isOpen = dataDirectory !== undefined && isUnset(ipam["data_dir"]);
      return { ...named, ...(isOpen && { data_dir: join(dataDirectory, "tandem-ipam") }) };
    }
    case "kubernetes": {
      const given = isObject(ipam["kubernetes"]) ? ipam["kubernetes"] : {};
      // Credentials of this cluster must not go to a server that a network names itself.
      const roots = [given["k8s_api_root"], ipam["k8s_api_root"]];
      const isOpen = isUnset(given["kubeconfig"]) && roots.every(isUnset);
      return { ...named, ...(isOpen && { kubernetes: { ...given, kubeconfig } }) };
    }
    default:
      return named;
  }
}

/** Whether a setting is missing; templates leave empty texts behind. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
