// Connections to nodes, pods and services on behalf of a user.
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectSecurely } from "node:tls";
import { Address } from "../../../base/net/address.ts";
import { systemCode } from "../../../base/program/errors.ts";
import { badRequest, unavailable } from "../errors.ts";

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** The TLS options, with the server's own certificate; absent: no TLS. */
  readonly tls?: ConnectionOptions;
  /** The words for the target in errors. */
  readonly what: string;
  readonly timeoutMs?: number;
}

/** The connection timeout, as long as genuine Kubernetes waits for a kubelet. */
const patienceMs = 30_000;

/** Connects to a target; resolves when the socket can be written to, rejects after the timeout. */
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
 * Returns the address of a host that users name. Pods and nodes could report an address of the server itself
 * or of its cloud: those are refused. The name is resolved only once, so that the address that was checked is
 * the one that is dialled.
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
    const code = systemCode(error);
    if (code === "ENOTFOUND" || code === "EAI_AGAIN") return undefined;
    throw error;
  }
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
