// port-forward: for each connection at the client a pair of SPDY streams, one for data and one for
// errors. Newer clients send the same SPDY bytes inside a WebSocket.
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createWebSocketStream } from "ws";
import { acceptSpdy, acceptWebSocket, protocolOf, type UpgradeRequest } from "./handshake.ts";
import { SpdySession } from "./spdy/session.ts";
import type { SpdyStream } from "./spdy/stream.ts";

/** Connects to a port of the pod. */
export type Connect = (port: number) => Promise<Duplex>;

const plainProtocol = "portforward.k8s.io";
const tunnelledProtocol = "SPDY/3.1+portforward.k8s.io";

/** Serves port forwarding; resolves when the client is gone. */
export async function servePortForward(upgrade: UpgradeRequest, connect: Connect): Promise<void> {
  const socket = await takeOver(upgrade);
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

async function takeOver(upgrade: UpgradeRequest): Promise<Duplex> {
  if (protocolOf(upgrade) === "spdy") {
    acceptSpdy(upgrade, [plainProtocol]);
    return upgrade.socket;
  }
  const { webSocket } = await acceptWebSocket(upgrade, [tunnelledProtocol]);
  return createWebSocketStream(webSocket);
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
