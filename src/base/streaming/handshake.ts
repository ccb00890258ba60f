// The upgrade from HTTP to WebSocket, or to SPDY/3.1 for older clients.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** An HTTP request for an upgrade, with its connection. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that were read beyond the request. */
  readonly head: Buffer;
}

export class UpgradeError extends Error {
  readonly reason = "badRequest";
}

const protocolHeader = "x-stream-protocol-version";

export function protocolOf({ request }: UpgradeRequest): "websocket" | "spdy" {
  const wanted = (request.headers.upgrade ?? "").toLowerCase();
  if (wanted === "websocket") return "websocket";
  if (wanted === "spdy/3.1") return "spdy";
  throw new UpgradeError("Cannot upgrade: the request asks for neither WebSocket nor SPDY/3.1");
}

/** Accepts a SPDY upgrade with the first of our protocols that the client offers. */
export function acceptSpdy(upgrade: UpgradeRequest, supported: readonly string[]): string {
  const { request, socket, head } = upgrade;
  const offered = offeredProtocols(request);
  const protocol = supported.find((each) => offered.includes(each));
  if (protocol === undefined) {
    throw new UpgradeError(`Cannot upgrade: none of ${offered.join(", ")} is supported`);
  }
  socket.write(
    [
      "HTTP/1.1 101 Switching Protocols",
      "Connection: Upgrade",
      "Upgrade: SPDY/3.1",
      `X-Stream-Protocol-Version: ${protocol}`,
      "",
      "",
    ].join("\r\n"),
  );
  if (head.length > 0) socket.unshift(head);
  return protocol;
}

export async function acceptWebSocket(
  { request, socket, head }: UpgradeRequest,
  supported: readonly string[],
): Promise<{ webSocket: WebSocket; protocol: string }> {
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(/ *, */);
  // The client's order counts. One that offers nothing speaks the protocol without a name.
  const protocol = offered.find((each) => supported.includes(each));
  if (protocol === undefined) {
    throw new UpgradeError(`Cannot upgrade: none of ${offered.join(", ")} is supported`);
  }
  const server = new WebSocketServer({ noServer: true, handleProtocols: () => protocol });
  return await new Promise((resolve, reject) => {
    socket.once("error", reject);
    server.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off("error", reject);
      resolve({ webSocket, protocol });
    });
  });
}

/** The subprotocols that a client offers; clients repeat the header or separate values by commas. */
function offeredProtocols({ headers }: IncomingMessage): string[] {
  const value = headers[protocolHeader];
  const text = Array.isArray(value) ? value.join(",") : (value ?? "");
  return text.split(/ *, */).filter((protocol) => protocol !== "");
}
