// What every way to a server offers.

import type { Duplex } from "node:stream";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the first slash on, query included. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** For the whole answer with all attempts; of a stream, until it begins. 30 seconds if not given. */
  readonly timeoutMs?: number | undefined;
  /** How often a request that got no answer, or "try later", is sent again; 4 times if not given. */
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
  /** As it arrives; nothing is gathered for a slow reader. Breaking off closes the connection. */
  readonly body: AsyncIterable<Buffer>;
}

export interface ApiUpgrade {
  readonly headers: ApiAnswer["headers"];
  readonly socket: Duplex;
}

/** Rejects with an ApiError for every answer but a success, and with the signal's reason. */
export interface Transport {
  send(request: ApiRequest): Promise<ApiAnswer>;
  /** For watches and logs. */
  open(request: ApiRequest): Promise<ApiStream>;
  /** Leaves HTTP for another protocol; `headers` name it. */
  upgrade(request: ApiRequest): Promise<ApiUpgrade>;
  /** Cuts whatever is under way. */
  close(): void;
}

/** For errors. Without the query, which may be long and rarely says more. */
export function actionOf({ method, path }: ApiRequest): string {
  return `${method} ${path.replace(/\?.*/, "")}`;
}
