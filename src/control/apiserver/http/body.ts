// Reads a request's body, up to a limit.
import { badRequest, tooLarge } from "../errors.ts";
import type { HttpRequest } from "./message.ts";

/** The largest body, as in kube-apiserver. */
export const maximumBody = 3 * 1024 * 1024;

/**
 * The most bytes of a body that are read. A client that is still sending does not read the answer, so bytes
 * beyond the limit are read and discarded up to here.
 */
export const longestDrained = 8 * maximumBody;

export function readBody(request: HttpRequest, limit = maximumBody): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > longestDrained) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      if (size <= longestDrained) return;
      request.off("data", onData);
      request.pause();
      reject(tooLarge(limit));
    };
    request.on("data", onData);
    request.on("end", () => {
      if (size > limit) reject(tooLarge(limit));
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.on("error", (error) => {
      reject(badRequest("Cannot read the body: the connection broke off", error));
    });
    request.on("close", () => {
      if (!request.readableEnded) {
        reject(badRequest("Cannot read the body: the connection was closed"));
      }
    });
  });
}
