// port-forward: for each connection at the client a pair of SPDY streams, one for data and one for
// errors. Newer clients send the same SPDY bytes inside a WebSocket.
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createWebSocketStream } from "ws";
import { acceptSpdy, acceptWebSocket, protocolOf, type UpgradeRequest } from "./handshake.ts";
import { channelProtocols, portsIn, serveChannels } from "./port-forward-channels.ts";
import { SpdySession } from "./spdy/session.ts";
import type { SpdyStream } from "./spdy/stream.ts";

/** Connects to a port of the pod. */
export type Connect = (port: number) => Promise<Duplex>;

const plainProtocol = "portforward.k8s.io";
const tunnelledProtocol = "SPDY/3.1+portforward.k8s.io";

/** Serves port forwarding; resolves when the client is gone. `query` names the ports for older clients. */
export async function servePortForward(
  upgrade: UpgradeRequest,
  connect: Connect,
  { query }: { readonly query: URLSearchParams },
): Promise<void> {
  if (protocolOf(upgrade) === "spdy") {
    acceptSpdy(upgrade, [plainProtocol]);
    return await serveStreams(upgrade.socket, connect);
  }
  const isTunnel = upgrade.request.headers["sec-websocket-protocol"]?.includes(tunnelledProtocol);
  // Ports that are none are refused before the upgrade.
  const ports = isTunnel === true ? [] : portsIn(query);
  const accepted = await acceptWebSocket(upgrade, [tunnelledProtocol, ...channelProtocols]);
  if (accepted.protocol !== tunnelledProtocol) {
    return await serveChannels(accepted, connect, { ports });
  }
  await serveStreams(createWebSocketStream(accepted.webSocket), connect);
}

async function serveStreams(socket: Duplex, connect: Connect): Promise<void> {
  const waiting = new Map<string, SpdyStream>();
  const session = new SpdySession(socket, {
    onStream(stream) {
      const { headers } = stream;
      const id = headers.get("requestid") ?? String(stream.id);
      const other = waiting.get(id);
      if (other === undefined) {
        waiting.set(id, stream);
        return;
      }
      waiting.delete(id);
      const [data, error] =
        headers.get("streamtype") === "data" ? [stream, other] : [other, stream];
      void forward({ data, error }, connect);
    },
  });
  await session.closed;
}

async function forward(
  { data, error }: { data: SpdyStream; error: SpdyStream },
  connect: Connect,
): Promise<void> {
  const port = Number(data.headers.get("port"));
  error.resume();
  try {
    const target = await connect(port);
    await Promise.all([pipeline(data, target), pipeline(target, data)]);
  } catch (cause) {
    const state = cause instanceof Error ? cause.message : String(cause);
    if (error.writable) error.write(`Cannot forward port ${port}: ${state}`);
    data.destroy();
  } finally {
    error.end();
  }
}
