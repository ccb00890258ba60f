// What the machines of a cluster agree on, in the cluster itself: readable for nodes, and for machines that have
// a token to become one.

import { staticCredentials } from "../../api/client/access.ts";
import type { Client } from "../../api/client/client.ts";
import { connect } from "../../api/client/connect.ts";
import { isForbidden, isNotFound, isUnauthorized } from "../../api/client/errors.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { Address } from "../../base/net/address.ts";
import { UsageError } from "../../base/program/errors.ts";
import type { KeyPair } from "../../control/apiserver/apiserver.ts";
import {
  type ClusterNetwork,
  clusterConfigMap,
  clusterData,
  readClusterData,
} from "../../install/machine/machine.ts";
import { fetchAuthority } from "../../node/join/join.ts";
import { clientEndpoints, type EtcdAccess } from "./own-etcd.ts";

export interface FoundCluster {
  readonly network: ClusterNetwork;
  /** The version that its API server tells. */
  readonly version: string;
  /** How a further server joins the etcd that install runs; `undefined` for nodes and where it runs none. */
  readonly etcd?: EtcdAccess | undefined;
}

export interface Invitation {
  readonly server: URL;
  readonly token: string;
  readonly caHash: string;
}

/** The group of tokens by which machines become servers. */
export const serversGroup = "system:bootstrappers:tandem:servers";
const etcdSecret = { namespace: "kube-system", name: "tandem-etcd" } as const;
const endpointsOfServers = { namespace: "default", name: "kubernetes" } as const;

const { namespace, name } = clusterConfigMap;
const rbac = "rbac.authorization.k8s.io";

export async function writeCluster(client: Client, network: ClusterNetwork): Promise<void> {
  const metadata = { namespace, name };
  await client.resource("v1", "ConfigMap").apply({ metadata, data: clusterData(network) });
  await client.resource(`${rbac}/v1`, "Role").apply({
    metadata,
    rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: [name], verbs: ["get"] }],
  });
  await client.resource(`${rbac}/v1`, "RoleBinding").apply({
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name },
    subjects: ["system:bootstrappers", "system:nodes"].map((group) => ({
      kind: "Group",
      apiGroup: rbac,
      name: group,
    })),
  });
}

/**
 * Writes the root of etcd's certificates for servers to come. Whoever reads the secrets of the system's namespace
 * is the cluster's administrator already; tokens of servers may read this one.
 */
export async function writeEtcd(client: Client, root: KeyPair): Promise<void> {
  const encode = (text: string) => Buffer.from(text).toString("base64");
  await client.resource("v1", "Secret").apply({
    metadata: etcdSecret,
    data: { "tls.crt": encode(root.certificate), "tls.key": encode(root.key) },
  });
  const readable = [
    { metadata: etcdSecret, resource: "secrets" },
    { metadata: { ...endpointsOfServers, name: "tandem-servers" }, resource: "endpoints" },
  ];
  for (const { metadata, resource } of readable) {
    const resourceNames = [resource === "secrets" ? etcdSecret.name : endpointsOfServers.name];
    await client.resource(`${rbac}/v1`, "Role").apply({
      metadata,
      rules: [{ apiGroups: [""], resources: [resource], resourceNames, verbs: ["get"] }],
    });
    await client.resource(`${rbac}/v1`, "RoleBinding").apply({
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: metadata.name },
      subjects: [{ kind: "Group", apiGroup: rbac, name: serversGroup }],
    });
  }
}

async function readEtcd(client: Client, signal: AbortSignal): Promise<EtcdAccess> {
  const { data = {} } = await client.resource("v1", "Secret").get(etcdSecret, { signal });
  const text = (key: string) => Buffer.from(data[key] ?? "", "base64").toString();
  const root = { certificate: text("tls.crt"), key: text("tls.key") };
  const { subsets = [] } = await client.resource("v1", "Endpoints").get(endpointsOfServers, {
    signal,
  });
  const servers = subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  return { root, endpoints: clientEndpoints(servers.map(Address.parse)) };
}

/** Reads what the cluster of a client agrees on; `undefined` if it was not made by `tandem install`. */
export async function readCluster(
  client: Client,
  signal: AbortSignal,
): Promise<FoundCluster | undefined> {
  try {
    const { data } = await client.resource("v1", "ConfigMap").get({ namespace, name }, { signal });
    const { body } = await client.transport.send({ method: "GET", path: "/version", signal });
    const { gitVersion } = JSON.parse(body.toString()) as { gitVersion: string };
    return { network: readClusterData(data), version: gitVersion };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Asks a cluster with a token, as a machine that is to have this role. Nothing is sent before the server has shown the expected root. */
export async function askCluster(
  { server, token, caHash, role }: Invitation & { readonly role: "server" | "agent" },
  signal: AbortSignal,
): Promise<FoundCluster> {
  const authorities = await fetchAuthority(server, caHash, { signal });
  const credentials = staticCredentials({ authorization: `Bearer ${token}` });
  const access = { server, authorities, credentials, namespace: "default" };
  const client = connect(access, {
    component: "tandem-install",
    clock: systemClock,
    random: systemRandom,
  });
  try {
    const found = await readCluster(client, signal);
    if (found !== undefined) {
      const hasEtcd = role === "server" && found.network.store === "own-etcd";
      return hasEtcd ? { ...found, etcd: await readEtcd(client, signal) } : found;
    }
    throw new UsageError(
      `Cannot join ${server.origin}: 'tandem install' has not made this cluster`,
      {
        hint: "'tandem agent' joins any cluster of Tandem.",
      },
    );
  } catch (cause) {
    if (isForbidden(cause)) {
      const state = "it is not of 'tandem install', or the token is for something else";
      const hint =
        role === "server"
          ? "'tandem token create --server --print-join-command' on a server makes one for servers."
          : "'tandem token create --print-join-command' on a server makes another.";
      throw new UsageError(`Cannot join ${server.origin}: ${state}`, { hint, cause });
    }
    if (!isUnauthorized(cause)) throw cause;
    throw new UsageError(`Cannot join ${server.origin}: the token is not valid, or has expired`, {
      hint: "'tandem token create --print-join-command' on a server makes a new one.",
      cause,
    });
  } finally {
    client.transport.close();
  }
}
