// One HTTP exchange without sockets: the request that an API server reads, and the response that it writes.

import { Readable, Writable } from "node:stream";
import type { ApiRequest } from "../../../src/api/client/transport.ts";
import type { HttpRequest, HttpResponse } from "../../../src/control/apiserver/http/message.ts";

export function toHttpRequest({ method, path, headers = {}, body }: ApiRequest): HttpRequest {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const request = new Readable({ read: () => undefined });
  if (bytes !== undefined) request.push(bytes);
  request.push(null);
  const length = bytes === undefined ? {} : { "content-length": String(bytes.length) };
  return Object.assign(request, {
    method,
    url: path,
    headers: { accept: "application/json", ...headers, ...length },
    httpVersionMajor: 1,
    complete: true,
    socket: {} as HttpRequest["socket"],
  });
}

/** A response whose parts are handed on as they are written. */
export class SimulatedResponse extends Writable implements HttpResponse {
  headersSent = false;
  statusCode = 0;
  readonly #onHead: (status: number) => void;
  readonly #onPart: (part: Buffer) => void;

  constructor(onHead: (status: number) => void, onPart: (part: Buffer) => void) {
    super();
    this.#onHead = onHead;
    this.#onPart = onPart;
  }

  writeHead(code: number): void {
    this.headersSent = true;
    this.statusCode = code;
    this.#onHead(code);
  }

  setHeader(): void {
    // Headers of answers mean nothing to the clients of the simulation.
  }

  override _write(part: Buffer, _: BufferEncoding, done: () => void): void {
    this.#onPart(part);
    done();
  }
}
