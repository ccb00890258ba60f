// The root certificate is the first thing a machine learns of a cluster. Any server can present one; only the
// hash that the administrator gives tells whether it is the right one.
import { createHash, type X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import type { CallOptions } from "../../base/host/command.ts";
import { messageOf } from "../../base/program/errors.ts";
import { JoinError } from "./error.ts";

const patienceMs = 10_000;

/**
 * Returns the PEM certificate of the root that the server presents, if the hash of its public key is the
 * pinned one.
 */
export async function fetchAuthority(
  server: URL,
  pin: string,
  { signal }: CallOptions = {},
): Promise<string> {
  const chain = await shownChain(server, signal);
  const hashes = chain.map(publicKeyHash);
  const root = chain[hashes.indexOf(pin)];
  if (root !== undefined) return root.toString();
  const shown = hashes.at(-1) ?? "no certificate at all";
  throw new JoinError("WrongAuthority", server, `its root is ${shown}, and expected was ${pin}`);
}

/** Returns the hash of a public key in kubeadm's format. */
export function publicKeyHash({ publicKey }: X509Certificate): string {
  const key = publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

/** Returns the chain that the server presents. Nothing is sent, since the root is not verified yet. */
async function shownChain(
  server: URL,
  signal: AbortSignal | undefined,
): Promise<readonly X509Certificate[]> {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const socket = connect({ host, port: Number(server.port || 443), rejectUnauthorized: false });
  const limit = AbortSignal.any([AbortSignal.timeout(patienceMs), ...(signal ? [signal] : [])]);
  try {
    await once(socket, "secureConnect", { signal: limit });
    return chainOf(socket);
  } catch (cause) {
    signal?.throwIfAborted();
    const state = limit.aborted ? `no answer within ${patienceMs} ms` : messageOf(cause);
    throw new JoinError("Unreachable", server, `it is out of reach: ${state}`, { cause });
  } finally {
    socket.destroy();
  }
}

/** Returns the certificates of the connection, the server's own first. */
function chainOf(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (
    next !== undefined &&
    !chain.some(({ fingerprint256 }) => fingerprint256 === next?.fingerprint256)
  ) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}
