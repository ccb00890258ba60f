// Programs of a cluster, with the command line of each: the same programs as on real machines.

import { join } from "node:path";
import type { ProcessOptions } from "../../base/host/command.ts";
import { hostPort } from "../../base/net/host-port.ts";
import { dnsAddresses } from "../../install/ranges/ranges.ts";
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
  /** A listening socket on the machine's loopback. */
  readonly descriptor: number;
}

/** The credentials with which a node joins the cluster. */
export interface Invitation {
  /** The URL of the API. */
  readonly server: string;
  readonly token: string;
  readonly authorityHash: string;
}

export const launcher = new URL("../../../bin/tandem", import.meta.url).pathname;
export const apiPort = 6443;
const etcdUrl = "http://127.0.0.1:2379";

/** Returns the URL at which a server is reached on the LAN. */
export function serverUrl(server: ClusterHost): string {
  return `https://${hostPorts(server, apiPort)[0]}`;
}

/**
 * Returns the path of the kubeconfig that the only server, or the first one, writes; it is valid inside of
 * the cluster.
 */
export function innerKubeconfig({ server }: DataPlaces): string {
  return kubeconfigIn(server);
}

export function kubeconfigIn(serverDirectory: string): string {
  return join(serverDirectory, "admin.kubeconfig");
}

export function serverProgram(options: ProgramsOptions): Program {
  const { settings, topology, dataDir, descriptor } = options;
  const [server] = topology.servers;
  const store = settings.store === "etcd" ? etcdUrl.replace("http", "etcd+http") : "embedded";
  const directory = dataPlaces(dataDir).server;
  const program = serverOn(server, options, { directory, store });
  return {
    ...program,
    name: "server",
    descriptors: [descriptor],
    command: [...program.command, "--listen-fd=3"],
  };
}

/** An API server that is reached on the LAN. */
export function serverOn(
  server: ClusterHost,
  { settings }: ProgramsOptions,
  { directory, store }: { readonly directory: string; readonly store: string },
): Program {
  return {
    name: `${server.name}-server`,
    namespace: namespacePath(server),
    command: [
      launcher,
      "server",
      `--data-dir=${directory}`,
      `--listen=${hostPorts(server, apiPort).join(",")}`,
      `--advertise=${serverUrl(server)}`,
      `--store=${store}`,
      `--service-cidr=${settings.serviceCidr.join(",")}`,
      `--cluster-cidr=${settings.podCidr.join(",")}`,
      `--kubeconfig-out=${kubeconfigIn(directory)}`,
    ],
  };
}

export function etcdProgram({ topology, dataDir }: ProgramsOptions): Program {
  const peers = "http://127.0.0.1:2380";
  return {
    name: "etcd",
    namespace: namespacePath(topology.servers[0]),
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
  { settings, dataDir, hasCgroups }: ProgramsOptions,
  { server, token, authorityHash }: Invitation,
): Program {
  return {
    name: node.name,
    namespace: namespacePath(node),
    // The token is in the environment, since all users of the machine can read command lines.
    environment: { TANDEM_TOKEN: token },
    command: [
      launcher,
      "agent",
      `--server=${server}`,
      `--ca-hash=${authorityHash}`,
      `--node-name=${node.name}`,
      `--node-ip=${node.addresses.map(({ address }) => address).join(",")}`,
      `--data-dir=${join(dataPlaces(dataDir).nodes, node.name)}`,
      `--run-dir=${runDirectoryOf(node)}`,
      // Without this directory the pods' networks would leave address reservations on the machine.
      `--cni-data-dir=${join(runDirectoryOf(node), "cni/networks")}`,
      `--image-dir=${dataPlaces(dataDir).images}`,
      `--cgroup-parent=${hasCgroups ? clusterCgroup(settings.name) : ""}`,
      `--cluster-cidr=${settings.podCidr.join(",")}`,
      `--network=${settings.network}`,
      `--ipam=${settings.ipam}`,
      `--route=${settings.route}`,
      `--proxy-mode=${settings.proxyMode}`,
      `--cluster-dns=${dnsAddresses(settings).join(",")}`,
      // The cluster's own pods for DNS and ingress run images of this machine's programs.
      `--allow-host-image=${["kube-system", ...settings.allowHostImage].join(",")}`,
      `--hide=${dataDir}`,
    ],
  };
}

/** Returns the run directory of a host. It goes with the enclosure, as a machine's goes with a reboot. */
export function runDirectoryOf({ name }: ClusterHost): string {
  return `/run/${name}`;
}

export function hostPorts({ addresses }: ClusterHost, port: number): readonly string[] {
  return addresses.map(({ address }) => hostPort(address, port));
}
