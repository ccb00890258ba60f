// The interface of transports, with their requests and responses.

import type { Duplex } from "node:stream";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path from the first slash on, query included. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /**
   * The timeout of all attempts and the whole response; of a stream, until it begins. 30 seconds if not
   * given.
   */
  readonly timeoutMs?: number | undefined;
  /** The number of retries of a request that got no answer, or "try later"; 4 if not given. */
  readonly retries?: number | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface ApiStream {
  readonly status: number;
  readonly headers: ApiAnswer["headers"];
  /** The body as it arrives, with backpressure. Breaking off closes the connection. */
  readonly body: AsyncIterable<Buffer>;
}

export interface ApiUpgrade {
  readonly headers: ApiAnswer["headers"];
  readonly socket: Duplex;
}

/** A transport. Calls reject with an ApiError unless they succeed, and with the signal's reason. */
export interface Transport {
  send(request: ApiRequest): Promise<ApiAnswer>;
  /** Opens a stream, for watches and logs. */
  open(request: ApiRequest): Promise<ApiStream>;
  /** Upgrades to another protocol, which `headers` name. */
  upgrade(request: ApiRequest): Promise<ApiUpgrade>;
  /** Closes all connections and ends requests under way. */
  close(): void;
}

/** The request for errors, without the query, which may be long and rarely matters. */
export function actionOf({ method, path }: ApiRequest): string {
  return `${method} ${path.replace(/\?.*/, "")}`;
}
