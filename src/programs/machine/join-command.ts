import { X509Certificate } from "node:crypto";
import type { Access } from "../../api/client/access.ts";
import type { Client } from "../../api/client/client.ts";
import { Address } from "../../base/net/address.ts";
import { createBootstrapToken } from "../../control/apiserver/apiserver.ts";
import { publicKeyHash } from "../../node/join/join.ts";
import { readCluster } from "./cluster-config.ts";

/** Makes a token with which machines can join, until it expires. */
export async function makeToken(
  client: Client,
  wanted: { readonly expires: Date; readonly description?: string },
  signal: AbortSignal,
): Promise<string> {
  const { token, secret } = createBootstrapToken(wanted);
  const { metadata, type, data } = secret;
  await client.resource("v1", "Secret").create({ metadata, type, data: { ...data } }, { signal });
  return token;
}

/**
 * Returns the command to type on a machine that is to become a node: `tandem install` where the cluster was made
 * by it, since its machines learn the rest from the cluster.
 */
export async function joinCommand(
  { client, access }: { readonly client: Client; readonly access: Access },
  token: string,
  signal: AbortSignal,
): Promise<string> {
  const { authorities } = access;
  if (authorities === undefined) {
    throw new Error("Cannot tell how to join: the kubeconfig has no certificate-authority");
  }
  const hash = publicKeyHash(new X509Certificate(authorities));
  const server = await serverFor(client, access.server, signal);
  const isInstalled = (await readCluster(client, signal)) !== undefined;
  const words = isInstalled ? `install agent --join ${server}` : `agent --server ${server}`;
  return `tandem ${words} --token ${token} --ca-hash ${hash}`;
}

/**
 * Returns the server's URL for another machine; if the known one is loopback, the one that the servers
 * announce.
 */
async function serverFor(client: Client, known: URL, signal: AbortSignal): Promise<string> {
  const host = known.hostname.replace(/^\[|\]$/g, "");
  if (host !== "localhost" && Address.tryParse(host)?.isLoopback !== true) return known.origin;
  const place = { namespace: "default", name: "kubernetes" };
  const { subsets = [] } = await client.resource("v1", "Endpoints").get(place, { signal });
  const [ip] = subsets.flatMap(({ addresses = [] }) => addresses.map((address) => address.ip));
  const port = subsets[0]?.ports?.[0]?.port;
  if (ip === undefined || port === undefined) return known.origin;
  return `https://${ip.includes(":") ? `[${ip}]` : ip}:${port}`;
}
