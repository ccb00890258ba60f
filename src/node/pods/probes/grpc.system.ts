// The gRPC health checking protocol, which is one small message each way over HTTP/2.

import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";

interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly signal: AbortSignal;
}

const serving = 1;
const statusNames = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
/** The size no health response exceeds; a longer one is something else. */
const longestAnswer = 1024;

export async function askGrpc(target: GrpcTarget): Promise<void> {
  const { host, port, signal } = target;
  signal.throwIfAborted();
  const session = connect(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
  const failed = Promise.withResolvers<never>();
  session.on("error", failed.reject);
  const onAbort = () => failed.reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    await Promise.race([exchange(session, target), failed.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    session.destroy();
  }
}

async function exchange(session: ClientHttp2Session, { service }: GrpcTarget): Promise<void> {
  const stream = session.request({
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Check",
    "content-type": "application/grpc",
    te: "trailers",
  });
  let headers: IncomingHttpHeaders = {};
  const note = (more: IncomingHttpHeaders) => (headers = { ...headers, ...more });
  stream.on("response", note).on("trailers", note);
  stream.end(requestFor(service));
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > longestAnswer) throw new Error("the answer is no health of a service");
  }
  check(headers, Buffer.concat(chunks));
}

function requestFor(service: string): Buffer {
  const name = Buffer.from(service);
  const message =
    name.length === 0
      ? Buffer.alloc(0)
      : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function check(trailers: IncomingHttpHeaders, answer: Buffer): void {
  const code = String(trailers["grpc-status"] ?? "missing");
  if (code !== "0") {
    throw new Error(
      `the answer was gRPC status ${code} ${String(trailers["grpc-message"] ?? "")}`.trim(),
    );
  }
  // Field 1 of the response, behind the 5-byte prefix, is the status; it is 0 when absent.
  const status = answer[5] === 0x08 ? (answer[6] ?? 0) : 0;
  if (status !== serving) throw new Error(`the service is ${statusNames[status] ?? status}`);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}
