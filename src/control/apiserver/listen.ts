// HTTP/2 and HTTP/1.1 on one TLS port, on as many addresses as wanted, or on an inherited socket.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ListenAddress, listenOn } from "../../base/program/listen.system.ts";
import { refuseMalformed } from "./http/upgrade.ts";
import { TurnGate } from "./limits/turn-gate.ts";
import type { ApiServer } from "./server.ts";

export interface Tls {
  readonly certificate: string;
  readonly key: string;
  /** The authorities (PEM) whose client certificates are accepted. */
  readonly clientAuthorities: string;
}

export interface ListenOptions {
  readonly addresses: readonly ListenAddress[];
  /** File descriptors of sockets that already listen. */
  readonly inherited?: readonly number[];
  readonly tls: Tls;
}

const minVersion = "TLSv1.2";
const maximumHeaders = 64 * 1024;
const maximumHeaderPairs = 200;
/** The memory of one HTTP/2 connection, for requests of all its streams, in megabytes. */
const sessionMemory = 64;
const windowSize = 1024 * 1024;
/** The most streams of one HTTP/2 connection, as in Go's servers: a client may open them all in one turn. */
const maximumStreams = 250;
/** The idle timeout: longer than clients keep idle connections, so that none is closed under a request. */
const idleMs = 5 * 60 * 1000;
const headersMs = 30_000;
/** The handshake timeout: a silent connection takes a descriptor, too. */
const handshakeMs = 15_000;
const bodyMs = 60_000;

export async function listen(
  server: ApiServer,
  options: ListenOptions,
): Promise<Http2SecureServer[]> {
  const create = () => createServer(server, options.tls);
  const listening = await listenOn(options.addresses, create);
  for (const fd of options.inherited ?? []) {
    const inherited = create();
    inherited.listen({ fd });
    await once(inherited, "listening");
    listening.push(inherited);
  }
  return listening;
}

/** Serves new connections with another certificate; established connections stay. */
export function changeCertificate(servers: readonly Http2SecureServer[], tls: Tls): void {
  for (const server of servers) server.setSecureContext({ ...secrets(tls), minVersion });
}

function secrets({ certificate, key, clientAuthorities }: Tls) {
  return { cert: certificate, key, ca: clientAuthorities };
}

/** The timeouts of the HTTP/1.1 side, which the types of HTTP/2 servers lack. */
interface Http1Limits {
  keepAliveTimeout: number;
  headersTimeout: number;
  requestTimeout: number;
}

function createServer(server: ApiServer, tls: Tls): Http2SecureServer {
  const options: SecureServerOptions & { maxHeaderSize: number } = {
    allowHTTP1: true,
    // Nagle's algorithm is off: it delays an event by 40 ms while the one before it is not acknowledged.
    noDelay: true,
    handshakeTimeout: handshakeMs,
    ...secrets(tls),
    // Client certificates are requested but optional, since clients may use tokens instead.
    requestCert: true,
    rejectUnauthorized: false,
    minVersion,
    maxHeaderSize: maximumHeaders,
    maxHeaderListPairs: maximumHeaderPairs,
    maxSessionMemory: sessionMemory,
    settings: { maxConcurrentStreams: maximumStreams, initialWindowSize: windowSize },
  };
  const secure = createSecureServer(options);
  const limits: Http1Limits = {
    keepAliveTimeout: idleMs,
    headersTimeout: headersMs,
    requestTimeout: bodyMs,
  };
  Object.assign(secure, limits);
  acceptInTurns(secure, server);
  secure.on("request", (request, response) => server.handle(request, response));
  secure.on("session", (session) => server.arrivals.session(session));
  secure.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    server.upgrade(request, socket, head),
  );
  secure.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) =>
    refuseMalformed(socket, error.code),
  );
  // Errors of a session are ignored: its requests learn of them on their own.
  secure.on("sessionError", () => undefined);
  return secure;
}

/** The most connections that begin their handshakes in one turn of the event loop: each takes about 1 ms. */
const handshakesPerTurn = 16;

/** Counts new connections, and lets them begin their handshakes a few at a time. */
function acceptInTurns(secure: Http2SecureServer, { connections, arrivals }: ApiServer): void {
  const gate = new TurnGate({ mostPerTurn: handshakesPerTurn });
  const begin = secure.listeners("connection");
  secure.removeAllListeners("connection");
  secure.on("connection", (socket: Socket) => {
    connections.opened(socket);
    arrivals.opened(socket);
    const accept = () => {
      if (!socket.destroyed) for (const listener of begin) listener.call(secure, socket);
    };
    const wait = gate.pass(socket.remoteAddress ?? "");
    if (wait === undefined) return accept();
    // Nobody else hears of its errors until it is accepted.
    const ignore = () => undefined;
    socket.on("error", ignore);
    void wait.then(() => {
      socket.off("error", ignore);
      return accept();
    });
  });
}
