// What the machines of a cluster agree on, in the cluster itself: readable for nodes, and for machines that have
// a token to become one.

import { staticCredentials } from "../../api/client/access.ts";
import type { Client } from "../../api/client/client.ts";
import { connect } from "../../api/client/connect.ts";
import { isForbidden, isNotFound, isUnauthorized } from "../../api/client/errors.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { UsageError } from "../../base/program/errors.ts";
import {
  type ClusterNetwork,
  clusterConfigMap,
  clusterData,
  readClusterData,
} from "../../install/machine/machine.ts";
import { fetchAuthority } from "../../node/join/join.ts";

export interface FoundCluster {
  readonly network: ClusterNetwork;
  /** The version that its API server tells. */
  readonly version: string;
}

export interface Invitation {
  readonly server: URL;
  readonly token: string;
  readonly caHash: string;
}

const { namespace, name } = clusterConfigMap;

export async function writeCluster(client: Client, network: ClusterNetwork): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { namespace, name };
  await client.resource("v1", "ConfigMap").apply({ metadata, data: clusterData(network) });
  await client.resource(`${apiGroup}/v1`, "Role").apply({
    metadata,
    rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: [name], verbs: ["get"] }],
  });
  await client.resource(`${apiGroup}/v1`, "RoleBinding").apply({
    metadata,
    roleRef: { apiGroup, kind: "Role", name },
    subjects: ["system:bootstrappers", "system:nodes"].map((group) => ({
      kind: "Group",
      apiGroup,
      name: group,
    })),
  });
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

/** Asks a cluster with a token. Nothing is sent before the server has shown the expected root. */
export async function askCluster(
  { server, token, caHash }: Invitation,
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
    if (found !== undefined) return found;
    throw new UsageError(
      `Cannot join ${server.origin}: 'tandem install' has not made this cluster`,
      {
        hint: "'tandem agent' joins any cluster of Tandem.",
      },
    );
  } catch (cause) {
    if (isForbidden(cause)) {
      const state = "it is not of 'tandem install', or the token is for something else";
      throw new UsageError(`Cannot join ${server.origin}: ${state}`, { cause });
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
