// The proxy: `…/pods/NAME:PORT/proxy/PATH` and the same for services and nodes. Requests are passed on as
// they are, but without the credentials that were meant for the server.
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { systemCode } from "../../../base/program/errors.ts";
import { joinConnections } from "../../../base/streaming/dial.ts";
import { unavailable } from "../errors.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import type { StreamRequest } from "../ports.ts";
import { type Destination, destinationOf, type Ways } from "./destination.ts";
import { rewriteLink, rewritePage } from "./proxied-page.ts";

/** Proxies a request. */
export async function proxyTo(
  stream: StreamRequest,
  response: HttpResponse,
  ways: Ways,
): Promise<void> {
  const { request } = stream;
  const { path, prefix, isBare } = pathsOf(stream);
  const method = request.method ?? "GET";
  const destination = destinationOf(stream, ways);
  // A page without a slash at the end of its path would lead browsers astray.
  if (isBare && (method === "GET" || method === "HEAD")) {
    response.writeHead(301, { location: `${prefix}${path}`, "content-length": 0 });
    response.end();
    return;
  }
  const connection = await destination.connect();
  response.once("close", () => connection.destroy());
  const headers = { ...passedOn(request.headers), "x-forwarded-uri": prefix + path };
  const options = { method, path, headers, createConnection: () => connection };
  const outgoing = httpRequest({ ...hostOf(destination), ...options });
  request.pipe(outgoing);
  const answered = once(outgoing, "response").catch(unreachable(destination));
  await passBack((await answered)[0] as IncomingMessage, { response, prefix, destination });
}

/** Passes an upgrade on; whatever the destination answers goes to the client as it is. */
export async function proxyUpgrade(
  stream: StreamRequest,
  { socket, head }: { socket: Duplex; head: Buffer },
  ways: Ways,
): Promise<void> {
  const { request } = stream;
  const destination = destinationOf(stream, ways);
  const connection = await destination.connect();
  const { path } = pathsOf(stream);
  const to = { path, headers: { host: authorityOf(destination) }, connection };
  passUpgrade(request, { socket, head }, to);
}

/** Passes an upgrade to another server, with headers for that server beside the client's own. */
export function passUpgrade(
  request: HttpRequest,
  { socket, head }: { socket: Duplex; head: Buffer },
  to: {
    readonly path: string;
    readonly headers: Readonly<Record<string, string | string[]>>;
    readonly connection: Duplex;
  },
): void {
  const { upgrade } = request.headers;
  // The client's own Connection header could name headers for the other server to ignore.
  const connection = "Upgrade";
  const headers = { ...to.headers, ...passedOn(request.headers), connection, upgrade };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  );
  to.connection.write(
    [`${request.method ?? "GET"} ${to.path} HTTP/1.1`, ...lines, "", ""].join("\r\n"),
    "latin1",
  );
  if (head.length > 0) to.connection.write(head);
  joinConnections(to.connection, socket);
}

/** The path at the destination, and the path here that stands for its root. */
function pathsOf({ request, target }: StreamRequest): {
  readonly path: string;
  readonly prefix: string;
  readonly isBare: boolean;
} {
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const end = mark < 0 ? url.length : mark;
  const { rest = "" } = target;
  const prefix = url.slice(0, end - rest.length);
  return { prefix, path: (rest || "/") + url.slice(end), isBare: rest === "" };
}

const withheld = new Set([
  "authorization",
  "connection",
  "host",
  "upgrade",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "te",
]);

/** Returns the headers for the destination, without credentials and what is about one connection alone. */
export function passedOn(
  headers: IncomingHttpHeaders,
): Record<string, string | string[] | undefined> {
  const kept = Object.entries(headers).filter(
    ([name]) => !withheld.has(name) && !/^(?::|impersonate-|x-remote-)/.test(name),
  );
  const passed: Record<string, string | string[] | undefined> = Object.fromEntries(kept);
  const protocols = headers["sec-websocket-protocol"];
  // Browsers send their token as a subprotocol, since they cannot set headers.
  if (protocols !== undefined) {
    const others = protocols.split(",").filter((each) => !each.includes("bearer.authorization"));
    passed["sec-websocket-protocol"] = others.length === 0 ? undefined : others.join(",");
  }
  return passed;
}

function hostOf({ host, port }: Destination): { host: string; port: number } {
  return { host, port };
}

function authorityOf({ host, port }: Destination): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The headers of an answer that are about one connection alone, which HTTP/2 does not allow. */
const ofConnection = ["connection", "transfer-encoding", "keep-alive", "upgrade", "te", "trailer"];

export function answerHeadersOf(incoming: IncomingMessage): IncomingHttpHeaders {
  const headers = { ...incoming.headers };
  for (const name of ofConnection) delete headers[name];
  return headers;
}

async function passBack(
  incoming: IncomingMessage,
  to: { response: HttpResponse; prefix: string; destination: Destination },
): Promise<void> {
  const { response, prefix, destination } = to;
  const headers = answerHeadersOf(incoming);
  if (headers.location !== undefined) {
    headers.location = rewriteLink(headers.location, prefix, [authorityOf(destination)]);
  }
  const page = await pageOf(incoming, headers);
  if (page !== undefined) {
    const body = Buffer.from(rewritePage(page, prefix));
    delete headers["content-encoding"];
    response.writeHead(incoming.statusCode ?? 502, { ...headers, "content-length": body.length });
    response.end(body);
    return;
  }
  response.writeHead(incoming.statusCode ?? 502, headers);
  response.flushHeaders?.();
  response.setMaxListeners(20);
  await pipeline(incoming, response).catch(goneIsFine);
}

/** The longest page whose links are rewritten; longer ones have no announced length or are passed on. */
const longestPage = 2 * 1024 * 1024;

/** Returns a page whose links are to be rewritten; `undefined` for everything else. */
async function pageOf(
  incoming: IncomingMessage,
  headers: IncomingHttpHeaders,
): Promise<string | undefined> {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  const encoding = headers["content-encoding"] ?? "";
  const length = Number(headers["content-length"] ?? Number.NaN);
  if (type !== "text/html" || headers.location !== undefined) return undefined;
  if (encoding !== "" && encoding !== "gzip") return undefined;
  if (!(length > 0 && length <= longestPage)) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  // An answer to HEAD announces a length, and has no body.
  if (body.length === 0) return undefined;
  const plain =
    encoding === "gzip" ? await promisify(gunzip)(body, { maxOutputLength: longestPage }) : body;
  return plain.toString();
}

function unreachable({ host, port }: Destination): (cause: unknown) => never {
  return (cause) => {
    const state = cause instanceof Error ? cause.message : String(cause);
    throw unavailable(`error trying to reach ${host} port ${port}: ${state}`, cause);
  };
}

/** Ignores the errors of a closed connection: either end may hang up in the middle of an answer. */
export function goneIsFine(error: unknown): void {
  const code = systemCode(error) ?? "";
  if (!["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"].includes(code)) throw error;
}
