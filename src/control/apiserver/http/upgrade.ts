// Answers on raw connections: those that asked for an upgrade, or sent malformed HTTP.
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { badRequest, headersTooLarge, type StatusError, timeout } from "../errors.ts";

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

export function refuseMalformed(socket: Duplex, code: string | undefined): void {
  if (code === "ECONNRESET") socket.destroy();
  else refuseUpgrade(socket, explain(code));
}

function explain(code: string | undefined): StatusError {
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge();
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return timeout("the request did not arrive in time");
  return badRequest("Cannot read the request: it is not valid HTTP");
}
