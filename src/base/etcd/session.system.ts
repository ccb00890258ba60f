// gRPC on one HTTP/2 connection to one member.

import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import { messageOf } from "../program/errors.ts";
import { EtcdError, reasonOfStatus } from "./errors.ts";
import { FrameReader, frame } from "./frames.ts";

export interface Tls {
  /** The certificates and the key, all in PEM. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Certificates and keys, or how to read them for the next connection. */
export type TlsSource = Tls | (() => Promise<Tls>);

interface SessionOptions {
  /** The member: `http://host:port` or `https://host:port`. */
  readonly endpoint: string;
  readonly tls?: TlsSource | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Call {
  /** The gRPC path: `/package.Service/Method`. */
  readonly path: string;
  readonly token?: string | undefined;
  /** The deadline that the member is told in `grpc-timeout`. */
  readonly timeoutMs?: number | undefined;
  readonly onMessage: (message: Buffer) => void;
}

/** A bidirectional stream: requests one way, answers the other. */
export interface Stream {
  readonly send: (request: Buffer) => void;
  /** Half-closes the stream: no more requests follow. */
  readonly end: () => void;
  readonly cancel: () => void;
  /** Resolves when the member has ended the call with "OK"; rejects with an EtcdError. */
  readonly done: Promise<void>;
}

const streamWindow = 4 << 20;
const sessionWindow = 64 << 20;
/** The interval of pings; a member that has not answered one when the next is due is given up. */
const pingInterval = 10_000;

export class Session {
  readonly endpoint: string;
  readonly #http: ClientHttp2Session;
  readonly #pinging: NodeJS.Timeout;
  #awaitsPing = false;

  private constructor(endpoint: string, http: ClientHttp2Session) {
    this.endpoint = endpoint;
    this.#http = http;
    http.setLocalWindowSize(sessionWindow);
    // Errors are reported by the streams; a session without streams has nothing to report.
    http.on("error", () => http.destroy());
    http.on("goaway", () => http.close());
    this.#pinging = setInterval(() => this.#ping(), pingInterval).unref();
    http.on("close", () => clearInterval(this.#pinging));
  }

  static async open({ endpoint, tls, timeoutMs, signal }: SessionOptions): Promise<Session> {
    const http = connect(endpoint, {
      ...(await secretsOf(tls, endpoint)),
      settings: { initialWindowSize: streamWindow, enablePush: false },
      // Megabytes. Lists may be large; their callers bound them.
      maxSessionMemory: 1000,
    });
    const late = AbortSignal.timeout(timeoutMs);
    try {
      await settled(http, AbortSignal.any([signal, late]));
    } catch (error) {
      http.on("error", () => http.destroy());
      http.destroy();
      const state = late.aborted ? `no answer within ${timeoutMs} ms` : messageOf(error);
      const message = `Cannot connect to etcd at ${endpoint}: ${state}`;
      throw new EtcdError(message, { reason: "unavailable", cause: error });
    }
    return new Session(endpoint, http);
  }

  get isUsable(): boolean {
    return !this.#http.closed && !this.#http.destroyed;
  }

  start({ path, token, timeoutMs, onMessage }: Call): Stream {
    const stream = this.#request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: path,
      "content-type": "application/grpc",
      te: "trailers",
      // A member that is cut off from the leader then refuses at once instead of waiting.
      hasleader: "true",
      ...(token === undefined ? {} : { token }),
      ...(timeoutMs === undefined ? {} : { "grpc-timeout": `${Math.ceil(timeoutMs)}m` }),
    });
    const reader = new FrameReader();
    stream.on("data", (piece: Buffer) => {
      for (const message of reader.push(piece)) onMessage(message);
    });
    return {
      send: (request) => void stream.write(frame(request)),
      end: () => void stream.end(),
      cancel: () => stream.close(constants.NGHTTP2_CANCEL),
      done: this.#finished(stream, path),
    };
  }

  /** Closes the session once the calls under way have ended. */
  close(): void {
    this.#http.close();
  }

  /** Ends the session and all of its calls at once. */
  destroy(): void {
    this.#http.destroy();
  }

  #request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    try {
      return this.#http.request(headers);
    } catch (error) {
      const message = `Cannot call etcd at ${this.endpoint}: ${messageOf(error)}`;
      throw new EtcdError(message, { reason: "unavailable", cause: error });
    }
  }

  #finished(stream: ClientHttp2Stream, path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let answer: Answer = {};
      let cause: unknown;
      stream.on("response", (headers) => {
        answer = readAnswer(headers);
      });
      stream.on("trailers", (trailers) => {
        answer = { ...readAnswer(trailers), http: answer.http };
      });
      stream.on("error", (error) => {
        cause = error;
      });
      stream.on("close", () => {
        if (answer.status === "0") return resolve();
        const wasSent = !stream.pending && stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM;
        const { reason, details } = failureOf(answer, wasSent);
        const message = `Cannot call ${path} of etcd at ${this.endpoint}: ${details}`;
        reject(new EtcdError(message, { reason, cause }));
      });
    });
  }

  #ping(): void {
    if (this.#awaitsPing) return this.destroy();
    this.#awaitsPing = true;
    this.#http.ping((error) => {
      if (error === null) this.#awaitsPing = false;
    });
  }
}

/** The end of a call, from the headers in front of the answer or the trailers behind it. */
interface Answer {
  readonly http?: string | undefined;
  readonly status?: string | undefined;
  readonly message?: string | undefined;
}

function readAnswer(headers: IncomingHttpHeaders): Answer {
  const read = (name: string): string | undefined => {
    const value = headers[name];
    return value === undefined ? undefined : String(value);
  };
  return { http: read(":status"), status: read("grpc-status"), message: read("grpc-message") };
}

function failureOf(
  { http, status, message }: Answer,
  wasSent: boolean,
): { reason: EtcdError["reason"]; details: string } {
  if (status !== undefined) {
    const details = decodeMessage(message ?? `status ${status}`);
    return { reason: reasonOfStatus(Number(status), details), details };
  }
  if (!wasSent) return { reason: "unavailable", details: "the request could not be sent" };
  const details = http === undefined ? "the connection was lost" : `the answer was HTTP ${http}`;
  return { reason: "unknown-outcome", details };
}

/** Decodes `grpc-message`, in which some characters are percent-encoded. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Resolves when the peer has shown that it speaks HTTP/2. */
async function settled(http: ClientHttp2Session, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const options = { signal: AbortSignal.any([signal, over.signal]) };
  const closed = once(http, "close", options).then(() => {
    throw new Error("the connection was closed");
  });
  try {
    await Promise.race([once(http, "remoteSettings", options), closed]);
  } finally {
    over.abort();
  }
}

async function secretsOf(tls: TlsSource | undefined, endpoint: string): Promise<Tls> {
  if (typeof tls !== "function") return tls ?? {};
  try {
    return await tls();
  } catch (cause) {
    const message = `Cannot connect to etcd at ${endpoint}: ${messageOf(cause)}`;
    throw new EtcdError(message, { reason: "unavailable", cause });
  }
}
