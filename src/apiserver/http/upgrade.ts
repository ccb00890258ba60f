// Refuses a connection that asked to leave HTTP.

import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { StatusError } from "../errors.ts";

export function refuseUpgrade(socket: Duplex, error: StatusError): void {
  if (socket.destroyed || !socket.writable) return;
  const body = JSON.stringify(error.toStatus());
  socket.end(
    [
      `HTTP/1.1 ${error.code} ${STATUS_CODES[error.code] ?? ""}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
