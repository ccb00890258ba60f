// The programs of a cluster, and what each is told. They are those that run on real machines.

import { join } from "node:path";
import type { ProcessOptions } from "../host/command.ts";
import { namespacePath } from "./build-topology.ts";
import { clusterCgroup } from "./cgroups.ts";
import { type DataPlaces, dataPlaces } from "./places.ts";
import type { ClusterSettings } from "./settings.ts";
import type { ClusterHost, Topology } from "./topology.ts";

export interface Program extends Pick<ProcessOptions, "namespace" | "environment" | "descriptors"> {
  readonly name: string;
  readonly command: readonly string[];
}

export interface ProgramsOptions {
  readonly settings: ClusterSettings;
  readonly topology: Topology;
  readonly dataDir: string;
  readonly hasCgroups: boolean;
  /** A socket that listens on the machine's loopback. */
  readonly descriptor: number;
}

/** How a node gets into the cluster. */
export interface Invitation {
  readonly token: string;
  readonly authorityHash: string;
}

export const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
const apiPort = 6443;
const etcdUrl = "http://127.0.0.1:2379";

/** Where the cluster's own machines reach the API. */
export function apiUrl({ server }: Topology): string {
  return `https://${hostPorts(server, apiPort)[0]}`;
}

/** The kubeconfig the server writes, which is good inside of the cluster. */
export function innerKubeconfig({ server }: DataPlaces): string {
  return join(server, "admin.kubeconfig");
}

export function serverProgram(options: ProgramsOptions): Program {
  const { settings, topology, dataDir, descriptor } = options;
  const places = dataPlaces(dataDir);
  return {
    name: "server",
    namespace: namespacePath(topology.server),
    descriptors: [descriptor],
    command: [
      launcher,
      "server",
      `--data-dir=${places.server}`,
      `--listen=${hostPorts(topology.server, apiPort).join(",")}`,
      "--listen-fd=3",
      `--advertise=${apiUrl(topology)}`,
      `--store=${settings.store === "etcd" ? etcdUrl.replace("http", "etcd+http") : "embedded"}`,
      `--service-cidr=${settings.serviceCidr.join(",")}`,
      `--cluster-cidr=${settings.podCidr.join(",")}`,
      `--kubeconfig-out=${innerKubeconfig(places)}`,
    ],
  };
}

export function etcdProgram({ topology, dataDir }: ProgramsOptions): Program {
  const peers = "http://127.0.0.1:2380";
  return {
    name: "etcd",
    namespace: namespacePath(topology.server),
    command: [
      "etcd",
      "--name=server",
      `--data-dir=${dataPlaces(dataDir).etcd}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=server=${peers}`,
    ],
  };
}

export function agentProgram(
  node: ClusterHost,
  { settings, topology, dataDir, hasCgroups }: ProgramsOptions,
  { token, authorityHash }: Invitation,
): Program {
  return {
    name: node.name,
    namespace: namespacePath(node),
    // Everybody on the machine can read the words of a command line.
    environment: { TANDEM_TOKEN: token },
    command: [
      launcher,
      "agent",
      `--server=${apiUrl(topology)}`,
      `--ca-hash=${authorityHash}`,
      `--node-name=${node.name}`,
      `--node-ip=${node.addresses.map(({ address }) => address).join(",")}`,
      `--data-dir=${join(dataPlaces(dataDir).nodes, node.name)}`,
      `--run-dir=${runDirectoryOf(node)}`,
      `--image-dir=${dataPlaces(dataDir).images}`,
      `--cgroup-parent=${hasCgroups ? clusterCgroup(settings.name) : ""}`,
      `--cluster-cidr=${settings.podCidr.join(",")}`,
      `--network=${settings.network}`,
      `--ipam=${settings.ipam}`,
      `--route=${settings.route}`,
      `--proxy-mode=${settings.proxyMode}`,
      `--cluster-dns=${dnsAddresses(settings).join(",")}`,
      "--allow-host-image",
      `--hide=${dataDir}`,
    ],
  };
}

/** Gone with the enclosure, as a machine's is with its uptime. */
export function runDirectoryOf({ name }: ClusterHost): string {
  return `/run/${name}`;
}

/** DNS has the tenth address of each service range. */
export function dnsAddresses({ serviceCidr }: ClusterSettings): readonly string[] {
  return serviceCidr.map((prefix) => prefix.at(10n).toString());
}

function hostPorts({ addresses }: ClusterHost, port: number): readonly string[] {
  return addresses.map(({ address, prefix }) =>
    prefix.family === "IPv4" ? `${address}:${port}` : `[${address}]:${port}`,
  );
}
