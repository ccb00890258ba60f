import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer, isIPv6, type Socket } from "node:net";
import { systemCode } from "../../base/program/errors.ts";
import type { PodFacts } from "./pod.ts";

export interface ServeOptions {
  readonly httpPort: number;
  readonly udpPort: number;
  /** The addresses to listen on; all addresses of both families if not given. */
  readonly listen?: readonly string[];
  pod(): PodFacts;
  readonly signal?: AbortSignal;
}

/** Serves until it is told to exit; returns the exit code. */
export async function serve(options: ServeOptions): Promise<number> {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const state: EchoState = { isReady: false, pod: () => options.pod(), end };
  // PID 1 of a container gets only those signals that it handles.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => end(0));
  options.signal?.addEventListener("abort", () => end(0), { once: true });
  const closing: (() => void)[] = [];
  try {
    for (const host of options.listen ?? everywhere) {
      try {
        closing.push(await listenHttp(host, { port: options.httpPort, state }));
        closing.push(await listenUdp(host, { port: options.udpPort, state }));
      } catch (error) {
        if (options.listen !== undefined || !isFamilyMissing(error)) throw error;
      }
    }
    // The server is ready only when both families listen: a client that reaches one would expect the other.
    state.isReady = true;
    return await ended;
  } finally {
    for (const close of closing) close();
  }
}

/**
 * The default addresses: one socket for each family, so that IPv4 clients are not shown as mapped IPv6
 * addresses.
 */
const everywhere = ["0.0.0.0", "::"];
const longestBody = 1024 * 1024;

interface EchoState {
  isReady: boolean;
  pod(): PodFacts;
  end(code: number): void;
}

interface Listening {
  readonly port: number;
  readonly state: EchoState;
}

/**
 * The HTTP server is built on plain sockets: Bun's own HTTP server accepts IPv4 on IPv6 sockets in any case.
 */
async function listenHttp(host: string, { port, state }: Listening): Promise<() => void> {
  const http = createHttpServer((request, response) => void answer(request, { response, state }));
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
    http.emit("connection", connection);
  });
  const listening = once(server, "listening");
  server.listen({ host, port, ipv6Only: isIPv6(host) });
  await listening;
  return () => {
    server.close();
    for (const connection of connections) connection.destroy();
  };
}

async function answer(
  request: IncomingMessage,
  { response, state }: { readonly response: ServerResponse; readonly state: EchoState },
): Promise<void> {
  const url = URL.parse(request.url ?? "/", "http://echo") ?? new URL("http://echo");
  const say = (status: number, text: string): void =>
    void response.writeHead(status, { "content-type": "text/plain" }).end(text);
  const body = await bodyOf(request);
  if (url.pathname === "/hostname") return say(200, state.pod().name);
  if (url.pathname === "/healthz")
    return say(state.isReady ? 200 : 503, state.isReady ? "ok" : "not ready");
  if (url.pathname === "/ready" && request.method === "POST") {
    state.isReady = url.searchParams.get("value") !== "false";
    return say(200, `ready: ${state.isReady}`);
  }
  if (url.pathname === "/exit") {
    response.once("close", () => state.end(Number(url.searchParams.get("code") ?? 0)));
    return say(200, "bye");
  }
  const { remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 } = request.socket;
  const seen = {
    client: { address: remoteAddress, port: remotePort },
    server: { address: localAddress, port: localPort },
    pod: state.pod(),
    method: request.method,
    path: request.url,
    headers: request.headers,
    body,
  };
  response.writeHead(200, { "content-type": "application/json" }).end(`${JSON.stringify(seen)}\n`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    if (text.length < longestBody) text += chunk as string;
  }
  return text;
}

async function listenUdp(host: string, { port, state }: Listening): Promise<() => void> {
  const isSix = isIPv6(host);
  const socket = createSocket({ type: isSix ? "udp6" : "udp4", ipv6Only: isSix });
  socket.on("message", (message, { address, port: clientPort }) => {
    const pod = state.pod();
    const own = pod.addresses.find((each) => isIPv6(each) === isSix);
    const seen = {
      client: { address, port: clientPort },
      server: { address: everywhere.includes(host) ? own : host, port: socket.address().port },
      pod,
      text: message.toString(),
    };
    socket.send(JSON.stringify(seen), clientPort, address);
  });
  const bound = once(socket, "listening");
  socket.bind({ address: host, port });
  await bound;
  return () => socket.close();
}

function isFamilyMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL";
}
