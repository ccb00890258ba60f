// Requests and answers, whichever version of HTTP carries them.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { TLSSocket } from "node:tls";

export interface HttpRequest extends Readable {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersionMajor: number;
  /** Whether the body has been read to its end. */
  readonly complete: boolean;
  readonly socket: TLSSocket | Socket;
}

export interface HttpResponse extends Writable {
  /** Of HTTP/2, whose responses do not say themselves that they are gone. */
  readonly stream?: { readonly destroyed: boolean } | undefined;
  readonly headersSent: boolean;
  readonly statusCode: number;
  writeHead(code: number, headers: OutgoingHttpHeaders): unknown;
  setHeader(name: string, value: string): unknown;
  /** HTTP/2 sends them at once and has no such thing. */
  flushHeaders?(): void;
}

/** Whether nobody is there any more to write to. */
export function isGone({ destroyed, stream }: HttpResponse): boolean {
  return destroyed || stream?.destroyed === true;
}
