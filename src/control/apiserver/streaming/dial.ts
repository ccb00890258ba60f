// Connections to nodes, pods and services on behalf of a user.
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectSecurely } from "node:tls";
import { Address } from "../../../base/net/address.ts";
import { badRequest, unavailable } from "../errors.ts";

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Speak TLS, with the server's own certificate. */
  readonly tls?: ConnectionOptions;
  /** How errors call it. */
  readonly what: string;
  readonly timeoutMs?: number;
}

/** As long as genuine Kubernetes waits for a kubelet to take a connection. */
const patienceMs = 30_000;

/** Ready to be written to. Whoever does not answer at all holds nothing for long. */
export async function dial(target: DialTarget): Promise<Socket> {
  const { host, port, tls, what, timeoutMs = patienceMs } = target;
  const place = { host, port };
  const socket = tls === undefined ? connectPlain(place) : connectSecurely({ ...tls, ...place });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, tls === undefined ? "connect" : "secureConnect", { signal });
    return socket;
  } catch (cause) {
    socket.once("error", () => undefined).destroy();
    const state = signal.aborted ? `no answer within ${timeoutMs / 1000} seconds` : wordsOf(cause);
    throw unavailable(`error ${what} ${host} port ${port}: ${state}`, cause);
  }
}

/**
 * The address of a host that users name. What pods and nodes say of themselves could be an address of the
 * server itself, or of its cloud: those are refused. The name is resolved once, so that what is checked is
 * what is dialled.
 */
export async function proxyableAddress(host: string): Promise<string> {
  const address = Address.tryParse(host) ?? Address.tryParse((await resolved(host)) ?? "");
  if (address !== undefined && isProxyable(address)) return String(address);
  throw badRequest("address not allowed");
}

function isProxyable(address: Address): boolean {
  const { isUnspecified, isLoopback, isLinkLocal, isMulticast } = address;
  const isBroadcast = address.family === "IPv4" && address.value === 0xffff_ffffn;
  return !isUnspecified && !isLoopback && !isLinkLocal && !isMulticast && !isBroadcast;
}

async function resolved(host: string): Promise<string | undefined> {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTFOUND" || code === "EAI_AGAIN") return undefined;
    throw error;
  }
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
