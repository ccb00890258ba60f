// Finds out whether packets reach a place, whether or not somebody serves there: a port that nobody has opened
// answers, too, with a refusal.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { systemCode } from "../../base/program/errors.ts";

/** What came back: an answer, a refusal, nothing, or the error of a network on the way. */
export type Reached = "answered" | "refused" | "silent" | (string & {});

export interface Place {
  readonly protocol: "tcp" | "udp";
  readonly host: string;
  readonly port: number;
}

/** Parses `tcp:192.0.2.1:80` or `udp:[2001:db8::1]:53`. */
export function parsePlace(text: string): Place {
  const [, protocol, six, four, port] =
    /^(tcp|udp):(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d+)$/i.exec(text) ?? [];
  const host = six ?? four;
  if (host === undefined || (protocol !== "tcp" && protocol !== "udp")) {
    throw new Error(`Cannot reach ${text}: expected tcp:ADDRESS:PORT or udp:ADDRESS:PORT`);
  }
  return { protocol, host, port: Number(port) };
}

export function placeText({ protocol, host, port }: Place): string {
  return `${protocol}:${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export async function reach(place: Place, timeoutMs: number): Promise<Reached> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await (place.protocol === "tcp" ? connected(place, signal) : replied(place, signal));
  } catch (error) {
    if (signal.aborted) return "silent";
    const code = systemCode(error) ?? "";
    if (["ECONNREFUSED", "ECONNRESET"].includes(code)) return "refused";
    if (code === "") throw error;
    return code;
  }
}

async function connected({ host, port }: Place, signal: AbortSignal): Promise<Reached> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect", { signal });
    return "answered";
  } finally {
    socket.destroy();
  }
}

/** A connected socket is told when the port is closed. */
async function replied({ host, port }: Place, signal: AbortSignal): Promise<Reached> {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  try {
    const open = once(socket, "connect", { signal });
    socket.connect(port, host);
    await open;
    const answer = once(socket, "message", { signal });
    socket.send("hello");
    await answer;
    return "answered";
  } finally {
    socket.close();
  }
}
