// Writes answers to clients.
import { stringify } from "yaml";
import { encodeProtobuf } from "../../../api/protobuf/envelope.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import type { StatusError } from "../errors.ts";
import { TimeSlice } from "../limits/time-slice.ts";
import { isTrue } from "../request-info.ts";
import { longestDrained } from "./body.ts";
import { acceptsGzip, sendCompressed, worthCompressing } from "./compress.ts";
import type { Exchange } from "./exchange.ts";
import { type HttpRequest, type HttpResponse, isGone } from "./message.ts";
import { type Form, jsonForm, mediaTypes, tryNegotiate } from "./negotiate.ts";

type Answerable = Pick<Exchange, "request" | "response" | "warnings">;

/** Sends a JSON body in the form the client asked for. */
export function sendJson(
  exchange: Exchange,
  json: Buffer,
  form: Form = jsonForm,
  code = 200,
): void {
  exchange.audit?.responded(json);
  sendBytes(exchange, inForm(exchange, json, form), mediaTypes[form.media], code);
}

/** Sends an object of no resource, such as a Status, as JSON if the client's form is not available. */
export function sendObject(exchange: Exchange, object: unknown, code = 200): void {
  const form = tryNegotiate(exchange.request.headers.accept, { isPlain: true }) ?? jsonForm;
  sendJson(exchange, Buffer.from(JSON.stringify(object)), form, code);
}

/** Sends a document that has no kind, as JSON. */
export function sendPlain(exchange: Exchange, document: unknown): void {
  sendJson(exchange, Buffer.from(JSON.stringify(document)));
}

export function sendBytes(exchange: Answerable, body: Buffer, type: string, code = 200): void {
  const { request, response } = exchange;
  if (response.headersSent) return;
  const headers = answerHeaders(exchange, type);
  if (body.length >= worthCompressing && acceptsGzip(request)) {
    headers["content-encoding"] = "gzip";
    response.writeHead(code, headers);
    sendCompressed(response, [body]);
    return;
  }
  headers["content-length"] = body.length;
  response.writeHead(code, headers);
  response.end(request.method === "HEAD" ? undefined : body);
}

export interface Document {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
}

/** Sends a document with an ETag, which clients cache until it changes. */
export function sendDocument(exchange: Exchange, { body, type, etag }: Document): void {
  const { request, response } = exchange;
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, { ...answerHeaders(exchange, type), etag, vary: "Accept" });
    response.end();
    return;
  }
  response.setHeader("etag", etag);
  response.setHeader("vary", "Accept");
  sendBytes(exchange, body, type);
}

/** Sends a long answer in parts; each is written when the client has taken those before. */
export async function sendParts(exchange: Exchange, parts: Iterable<Buffer>): Promise<void> {
  const { request, response } = exchange;
  const headers = answerHeaders(exchange, "application/json");
  const compressed = acceptsGzip(request);
  if (compressed) headers["content-encoding"] = "gzip";
  response.writeHead(200, headers);
  if (request.method === "HEAD") {
    response.end();
  } else if (compressed) {
    sendCompressed(response, parts);
  } else {
    const slice = new TimeSlice();
    for (const part of parts) {
      if (isGone(response)) return;
      if (!response.write(part)) await drained(response);
      await slice.yield();
    }
    response.end();
  }
}

export function sendError(
  exchange: { request: HttpRequest; response: HttpResponse },
  error: StatusError,
): void {
  const { request, response } = exchange;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const form = tryNegotiate(request.headers.accept, { isPlain: true }) ?? jsonForm;
  const body = encodeInMedia(Buffer.from(JSON.stringify(error.toStatus())), form.media);
  const headers: Record<string, string | number> = {
    "content-type": mediaTypes[form.media],
    "cache-control": "no-cache, private",
    "content-length": body.length,
  };
  const retryAfter = error.details?.retryAfterSeconds;
  if (retryAfter !== undefined) headers["retry-after"] = retryAfter;
  if (error.reason === "Unauthorized") headers["www-authenticate"] = "Bearer";
  // The rest of an unread body must not be taken for the next request. A short rest is read and discarded,
  // since a client that is still sending might not see the answer before the connection closes.
  const isShort = Number(request.headers["content-length"] ?? Number.NaN) <= longestDrained;
  if (!request.complete && !isShort && request.httpVersionMajor === 1) {
    headers["connection"] = "close";
  }
  response.writeHead(error.code, headers);
  response.end(request.method === "HEAD" ? undefined : body);
}

export function answerHeaders(
  { warnings }: Answerable,
  type: string,
): Record<string, string | number | string[]> {
  const headers: Record<string, string | number | string[]> = {
    "content-type": type,
    "cache-control": "no-cache, private",
  };
  if (warnings.length > 0) headers["warning"] = warningHeaders(warnings);
  return headers;
}

/** Resolves when the response can take more data, or the client is gone. */
export function drained(response: HttpResponse): Promise<void> {
  if (isGone(response)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}

function inForm(exchange: Exchange, json: Buffer, form: Form): Buffer {
  if (form.media !== "json") return encodeInMedia(json, form.media);
  if (!isTrue(exchange.info.query.get("pretty"))) return json;
  return Buffer.from(`${JSON.stringify(readJson(json.toString()), undefined, 2)}\n`);
}

/** The most bytes of warnings; many clients do not accept longer headers. */
const longestWarnings = 8192;

function warningHeaders(warnings: readonly string[]): string[] {
  const headers: string[] = [];
  let length = 0;
  for (const text of new Set(warnings)) {
    const header = warningHeader(text);
    length += header.length;
    if (length > longestWarnings) break;
    headers.push(header);
  }
  return headers;
}

export function encodeInMedia(json: Buffer, media: Form["media"]): Buffer {
  if (media === "json") return json;
  const value = readJson(json.toString());
  return media === "yaml"
    ? Buffer.from(stringify(value))
    : encodeProtobuf(value as JsonObject, { drop: true });
}

/** Formats a warning by RFC 7234: no line breaks, quotes escaped, and short enough for a header. */
function warningHeader(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, 1024);
  return `299 - "${printable.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
