// Programs of a cluster with several control planes: each runs an etcd member, an API server and
// `tandem vip run`, and a forwarder leads from the machine's loopback to the virtual addresses.

import { join } from "node:path";
import { hostPort } from "../../base/net/host-port.ts";
import { namespacePath } from "./build-topology.ts";
import { role } from "./control-plane-role.ts";
import type { EtcdFiles } from "./etcd-certificates.ts";
import { type DataPlaces, dataPlaces } from "./places.ts";
import {
  agentProgram,
  apiPort,
  hostPorts,
  type Invitation,
  kubeconfigIn,
  launcher,
  type Program,
  type ProgramsOptions,
  serverOn,
  serverUrl,
} from "./programs.ts";
import type { ClusterSettings } from "./settings.ts";
import type { ClusterHost } from "./topology.ts";

const clientPort = 2379;
const peerPort = 2380;

export function serverDirectory({ server }: DataPlaces, { name }: ClusterHost): string {
  return join(server, name);
}

/** Returns the URL of the API at its virtual address, which any surviving control plane serves. */
export function virtualUrl({ apiVips: [vip] }: ClusterSettings): string {
  if (vip === undefined)
    throw new Error("Cannot tell where the API is: there is no virtual address");
  return `https://${hostPort(vip, apiPort)}`;
}

export function memberProgram(
  host: ClusterHost,
  { topology, dataDir }: ProgramsOptions,
  files: EtcdFiles,
): Program {
  const [peer = ""] = urls(host, peerPort);
  const members = topology.servers.map((each) => `${each.name}=${urls(each, peerPort)[0]}`);
  const clients = urls(host, clientPort).join(",");
  return {
    name: `${host.name}-etcd`,
    namespace: namespacePath(host),
    command: [
      "etcd",
      `--name=${host.name}`,
      `--data-dir=${join(dataPlaces(dataDir).etcd, host.name)}`,
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=${members.join(",")}`,
      // The loss of an etcd member is noticed within a second.
      "--heartbeat-interval=100",
      "--election-timeout=1000",
      ...["", "peer-"].flatMap((use) => [
        `--${use}client-cert-auth`,
        `--${use}trusted-ca-file=${files.authority}`,
        `--${use}cert-file=${files.certificate}`,
        `--${use}key-file=${files.key}`,
      ]),
    ],
  };
}

/**
 * An API server that uses only the etcd member of its own host: a member lost with another host would make it
 * wait.
 */
export function controlPlaneServer(
  host: ClusterHost,
  options: ProgramsOptions,
  files: EtcdFiles,
): Program {
  const { settings, dataDir } = options;
  const [member] = hostPorts(host, clientPort);
  const secrets = new URLSearchParams({
    ca: files.authority,
    cert: files.certificate,
    key: files.key,
  });
  const directory = serverDirectory(dataPlaces(dataDir), host);
  const program = serverOn(host, options, {
    directory,
    store: `etcd://${member}?${secrets.toString()}`,
  });
  return { ...program, command: [...program.command, `--tls-san=${settings.apiVips.join(",")}`] };
}

/**
 * An agent that uses the API server of its own host, so that a control plane starts before the virtual
 * addresses exist.
 */
export function controlPlaneAgent(
  host: ClusterHost,
  options: ProgramsOptions,
  invitation: Invitation,
): Program {
  const own = { ...invitation, server: serverUrl(host) };
  const program = agentProgram(host, options, own);
  return { ...program, command: [...program.command, `--register-with-taints=${role}:NoSchedule`] };
}

export function vipProgram(host: ClusterHost, { dataDir, settings }: ProgramsOptions): Program {
  const places = dataPlaces(dataDir);
  return {
    name: `${host.name}-vip`,
    namespace: namespacePath(host),
    command: [
      launcher,
      "vip",
      "run",
      `--node=${host.name}`,
      `--cluster-name=${settings.name}`,
      `--kubeconfig=${kubeconfigIn(serverDirectory(places, host))}`,
      `--directory=${join(places.nodes, host.name, "vip")}`,
    ],
  };
}

export function forwarderConfiguration({ settings }: Pick<ProgramsOptions, "settings">): string {
  const servers = settings.apiVips.map(
    (vip, index) =>
      `  server vip-${vip.family} ${hostPort(vip, apiPort)} check inter 500ms rise 1 fall 2${index > 0 ? " backup" : ""}`,
  );
  return [
    "defaults",
    "  mode tcp",
    "  timeout connect 1s",
    "  retries 5",
    "  option redispatch",
    // Watches send nothing for as long as nothing changes.
    "  timeout client 24h",
    "  timeout server 24h",
    // TCP keepalives: when a virtual address has moved, its new holder resets the idle connections.
    "  option srvtcpka",
    "  srvtcpka-idle 3s",
    "  srvtcpka-intvl 1s",
    "  srvtcpka-cnt 3",
    "listen api",
    "  bind fd@3",
    ...servers,
    "",
  ].join("\n");
}

/** Forwards from a listening socket on the machine's loopback to the virtual addresses. */
export function forwarderProgram(file: string, { descriptor }: ProgramsOptions): Program {
  return { name: "forwarder", descriptors: [descriptor], command: ["haproxy", "-db", "-f", file] };
}

function urls(host: ClusterHost, port: number): readonly string[] {
  return hostPorts(host, port).map((place) => `https://${place}`);
}
