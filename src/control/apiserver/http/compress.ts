// Compresses large answers for clients that accept gzip.
import { pipeline, Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import type { HttpRequest, HttpResponse } from "./message.ts";

/** The size from which compressing is worth it: below, it costs more than sending. */
export const worthCompressing = 128 * 1024;

export function acceptsGzip(request: HttpRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(request.headers["accept-encoding"]));
}

/** Sends a compressed body; the headers, `content-encoding: gzip` among them, are already written. */
export function sendCompressed(response: HttpResponse, parts: Iterable<Buffer>): void {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024 });
  pipeline(Readable.from(parts, { objectMode: false }), gzip, response, (error) => {
    if (error instanceof Error) response.destroy();
  });
}
