// Bootstrap tokens are Secrets of a type of their own; only the hash of a token is stored.

import type { Client } from "../../api/client/client.ts";
import { withFields } from "../../api/client/field-selectors.ts";
import type { Secret } from "../../api/types/core.ts";

const namespace = "kube-system";
const prefix = "bootstrap-token-";

export interface TokenRecord {
  /** The part of the token before the dot, which is not secret. */
  readonly id: string;
  readonly expires: Date | undefined;
  readonly description: string;
}

export async function listTokens(client: Client, signal: AbortSignal): Promise<TokenRecord[]> {
  const selection = { namespace, ...withFields({ type: "bootstrap.kubernetes.io/token" }) };
  const { items } = await client.resource("v1", "Secret").listAll({ ...selection, signal });
  return items.map(recordOf).toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Deletes a token, given whole or by its id. */
export async function deleteToken(
  client: Client,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const [id = ""] = token.split(".");
  await client.resource("v1", "Secret").delete({ namespace, name: `${prefix}${id}` }, { signal });
}

function recordOf({ metadata, data = {} }: Secret): TokenRecord {
  const text = (key: string) => Buffer.from(data[key] ?? "", "base64").toString();
  const expires = new Date(text("expiration"));
  return {
    id: text("token-id") || metadata.name.slice(prefix.length),
    expires: Number.isNaN(expires.getTime()) ? undefined : expires,
    description: text("description"),
  };
}
