// A backend: `node ingress-backend.ts NAME PORT [PEM]`. It says what it was asked for, by HTTP (HTTPS
// with a PEM file), and repeats what it hears on WebSockets.

import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { WebSocketServer } from "ws";

/** What a backend answers. */
export interface Heard {
  readonly backend: string;
  readonly method: string;
  readonly url: string;
  readonly from: string;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

const [name = "", port = "", pem] = process.argv.slice(2);

const answer: RequestListener = (request, response) => {
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on("end", () => {
    const from = request.socket.remoteAddress ?? "";
    const heard = { backend: name, method: request.method, url: request.url, from, bytes };
    const delay = Number(new URL(request.url ?? "/", "http://x").searchParams.get("delay") ?? 0);
    response.setHeader("content-type", "application/json");
    setTimeout(() => response.end(JSON.stringify({ ...heard, headers: request.headers })), delay);
  });
};

function open(): Server {
  if (pem === undefined) return createServer({ keepAliveTimeout: 60_000 }, answer);
  const text = readFileSync(pem);
  return createSecureServer({ cert: text, key: text }, answer);
}

const server = open();
const sockets = new WebSocketServer({ server });
sockets.on("connection", (socket) => {
  socket.on("message", (data) => socket.send(`${name}: ${(data as Buffer).toString()}`));
});
server.listen(Number(port), "::", () => process.stdout.write("listening\n"));
