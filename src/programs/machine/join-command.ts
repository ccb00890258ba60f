import { X509Certificate } from "node:crypto";
import type { Access } from "../../api/client/access.ts";
import type { Client } from "../../api/client/client.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { Address } from "../../base/net/address.ts";
import { hostPort } from "../../base/net/host-port.ts";
import { UsageError } from "../../base/program/errors.ts";
import { createBootstrapToken } from "../../control/apiserver/apiserver.ts";
import {
  type ClusterNetwork,
  configPath,
  readConfigValues,
  serverUrl,
} from "../../install/machine/machine.ts";
import { publicKeyHash } from "../../node/join/join.ts";
import { readCluster, serversGroup } from "./cluster-config.ts";
import { etcdWords } from "./etcd-address.ts";

type Role = "agent" | "server";

/** Makes a token with which machines can join, until it expires. */
export async function makeToken(
  client: Client,
  wanted: { readonly expires: Date; readonly description?: string; readonly role?: Role },
  signal: AbortSignal,
): Promise<string> {
  const { role, ...rest } = wanted;
  const groups = role === "server" ? { groups: [serversGroup] } : {};
  const { token, secret } = createBootstrapToken({ ...rest, ...groups });
  const { metadata, type, data } = secret;
  await client.resource("v1", "Secret").create({ metadata, type, data: { ...data } }, { signal });
  return token;
}

/**
 * Returns the command to type on a machine that is to become a node, or a further server: `tandem install` where
 * the cluster was made by it, since its machines learn the rest from the cluster.
 */
export async function joinCommand(
  { client, access }: { readonly client: Client; readonly access: Access },
  { token, role = "agent" }: { readonly token: string; readonly role?: Role },
  signal: AbortSignal,
): Promise<string> {
  const { authorities } = access;
  if (authorities === undefined) {
    throw new Error("Cannot tell how to join: the kubeconfig has no certificate-authority");
  }
  const hash = publicKeyHash(new X509Certificate(authorities));
  const found = await readCluster(client, signal);
  const server = await serverFor(client, { known: access.server, network: found?.network }, signal);
  const proof = `--token ${token} --ca-hash ${hash}`;
  if (role === "agent") {
    const words =
      found === undefined ? `agent --server ${server}` : `install agent --join ${server}`;
    return `tandem ${words} ${proof}`;
  }
  if (found === undefined || found.network.store === "embedded") {
    throw new UsageError(
      found === undefined
        ? "Cannot tell how servers join: 'tandem install' has not made this cluster"
        : "Cannot have further servers: this cluster's objects are on the one server that it has",
      { hint: "Several servers share an etcd: docs/install.md." },
    );
  }
  const etcd = found.network.store === "etcd" ? await wordsOfEtcd() : [];
  return ["tandem install server --join", server, proof, ...etcd].join(" ");
}

/** The etcd of the operator's, as this machine's server uses it. */
async function wordsOfEtcd(): Promise<readonly string[]> {
  const { store } = readConfigValues(await systemFiles.read(configPath("server")));
  return typeof store === "string" ? etcdWords(store) : ["--etcd-servers", "https://HOST:2379"];
}

/**
 * Returns the server's URL for another machine: the virtual one where there is one; if the known one is loopback,
 * the one that the servers announce.
 */
async function serverFor(
  client: Client,
  { known, network }: { readonly known: URL; readonly network: ClusterNetwork | undefined },
  signal: AbortSignal,
): Promise<string> {
  if (network !== undefined && network.apiVips.length > 0) return serverUrl(network.apiVips);
  const host = known.hostname.replace(/^\[|\]$/g, "");
  if (host !== "localhost" && Address.tryParse(host)?.isLoopback !== true) return known.origin;
  const place = { namespace: "default", name: "kubernetes" };
  const { subsets = [] } = await client.resource("v1", "Endpoints").get(place, { signal });
  const [ip] = subsets.flatMap(({ addresses = [] }) => addresses.map((address) => address.ip));
  const port = subsets[0]?.ports?.[0]?.port;
  if (ip === undefined || port === undefined) return known.origin;
  return `https://${hostPort(Address.parse(ip), port)}`;
}
