// HTTP/2 and HTTP/1.1 on one TLS port, on as many addresses as wanted, or on an inherited socket.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from "node:http2";
import type { Server } from "node:net";
import type { Duplex } from "node:stream";
import { type ListenAddress, listenOn } from "../program/listen.ts";
import type { ApiServer } from "./server.ts";

export interface Tls {
  readonly certificate: string;
  readonly key: string;
  /** Client certificates of these authorities are recognised. */
  readonly clientAuthorities: string;
}

export interface ListenOptions {
  readonly addresses: readonly ListenAddress[];
  /** Sockets that listen already, by file descriptor. */
  readonly inherited?: readonly number[];
  readonly tls: Tls;
}

const maximumHeaders = 64 * 1024;

export async function listen(server: ApiServer, options: ListenOptions): Promise<Server[]> {
  const create = () => createServer(server, options.tls);
  const listening: Server[] = await listenOn(options.addresses, create);
  for (const fd of options.inherited ?? []) {
    const inherited = create();
    inherited.listen({ fd });
    await once(inherited, "listening");
    listening.push(inherited);
  }
  return listening;
}

function createServer(server: ApiServer, tls: Tls): Http2SecureServer {
  const options: SecureServerOptions & { maxHeaderSize: number } = {
    allowHTTP1: true,
    cert: tls.certificate,
    key: tls.key,
    ca: tls.clientAuthorities,
    // Tokens are as good as certificates, so nobody must bring one.
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: "TLSv1.2",
    maxHeaderSize: maximumHeaders,
    maxSessionMemory: 64,
    settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024 },
  };
  const secure = createSecureServer(options);
  secure.on("request", (request, response) => server.handle(request, response));
  secure.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    server.upgrade(request, socket, head),
  );
  return secure;
}
