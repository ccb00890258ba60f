import { duplicate, notSupported, required } from "../../api/fields/field-errors.ts";
import { defined } from "../../base/json/defined.ts";
import { Address } from "../../base/net/address.ts";
import type { Fields, Findings } from "./fields.ts";
import type { Host, HostRole } from "./install-config.ts";
import type { Networks } from "./networks.ts";
import { type NodeAddress, sharedAddresses } from "./vip-conflicts.ts";

interface Surroundings {
  readonly controlPlaneReplicas: number;
  readonly networks: Networks;
  readonly findings: Findings;
}

/**
 * Reads the machines that install-config names. Those without a role fill up the control plane, in order;
 * their addresses are those that their network configuration (nmstate) has in a machine network.
 */
export function readHosts(platform: Fields, around: Surroundings): Host[] {
  const entries = platform.objects("hosts") ?? [];
  const names = new Set<string>();
  const roles = entries.map((entry) => roleOf(entry, around.findings));
  let masters = roles.filter((role) => role === "master").length;
  const hosts = entries.flatMap((entry, index) => {
    const name = entry.text("name") ?? "";
    if (name === "") around.findings.errors.push(required(entry.at("name"), "must have a name"));
    if (names.has(name)) around.findings.errors.push(duplicate(entry.at("name"), name));
    names.add(name);
    const role = roles[index] ?? (masters++ < around.controlPlaneReplicas ? "master" : "worker");
    return [{ name, role, ...addressesOf(entry, around.networks) }];
  });
  for (const { node, address } of sharedAddresses(nodeAddresses(hosts))) {
    const index = hosts.findLastIndex(({ name }) => name === node);
    const field = entries[index]?.at("networkConfig") ?? platform.at("hosts");
    around.findings.errors.push(duplicate(field, address.toString()));
  }
  return hosts;
}

/** The addresses of all hosts, each with the name of its host. */
export function nodeAddresses(hosts: readonly Host[]): NodeAddress[] {
  return hosts.flatMap(({ name: node, addresses }) =>
    addresses.map((address) => ({ node, address })),
  );
}

const hostRoles: readonly HostRole[] = ["master", "worker"];

function roleOf(entry: Fields, findings: Findings): HostRole | undefined {
  const text = entry.text("role") ?? "";
  const role = hostRoles.find((known) => known === text);
  if (text !== "" && role === undefined) {
    findings.errors.push(notSupported(entry.at("role"), text, hostRoles));
  }
  return role;
}

function addressesOf(entry: Fields, networks: Networks): Pick<Host, "interface" | "addresses"> {
  const interfaces = entry.object("networkConfig")?.objects("interfaces") ?? [];
  for (const link of interfaces) {
    const addresses = ["ipv4", "ipv6"]
      .flatMap((family) => link.object(family)?.objects("address") ?? [])
      .flatMap((address) => Address.tryParse(address.text("ip") ?? "") ?? [])
      .filter((address) => networks.machineNetwork.some(({ prefix }) => prefix.contains(address)));
    const name = link.text("name");
    if (addresses.length > 0) return { addresses, ...defined({ interface: name }) };
  }
  return { addresses: [] };
}
