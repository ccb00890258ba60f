// Requests and responses of either HTTP version.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { TLSSocket } from "node:tls";

/** What a request says before its body. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface HttpRequest extends Readable, RequestHead {
  readonly httpVersionMajor: number;
  /** Says that the body has been read to its end. */
  readonly complete: boolean;
  readonly socket: TLSSocket | Socket;
}

export interface HttpResponse extends Writable {
  /** The stream of an HTTP/2 response, which tells whether the client is gone; the response does not. */
  readonly stream?: { readonly destroyed: boolean } | undefined;
  readonly headersSent: boolean;
  readonly statusCode: number;
  writeHead(code: number, headers: OutgoingHttpHeaders): unknown;
  setHeader(name: string, value: string): unknown;
  /** Sends the headers; absent for HTTP/2, which sends them at once. */
  flushHeaders?(): void;
}

/** Returns whether the client is gone. */
export function isGone({ destroyed, stream }: HttpResponse): boolean {
  return destroyed || stream?.destroyed === true;
}

/** Acts when the response closes; at once when the client is gone already, since it does not close again. */
export function atEnd(response: HttpResponse, act: () => void): void {
  if (isGone(response)) act();
  else response.once("close", act);
}

/** Returns who sends the request, as far as that is known before its credentials are looked at. */
export function clientOf({ socket }: HttpRequest): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
