// A watch's body: one event a line.

import { readJson } from "../../base/json/read-json.ts";
import type { Status } from "../types/meta.ts";
import { refusedByStatus } from "./errors.ts";
import type { ApiObject } from "./objects.ts";

export type WatchEvent<T extends ApiObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | {
      /** Everything up to this version has been told. */
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      /** What was there when the watch began has been told. */
      readonly endsInitialEvents: boolean;
    };

/** Throws the error a watch ends with. */
export async function* decodeEvents<T extends ApiObject>(
  body: AsyncIterable<Buffer>,
  action: string,
): AsyncGenerator<WatchEvent<T>, undefined> {
  for await (const line of linesOf(body)) {
    const { type, object } = readJson(line) as { type: string; object: unknown };
    if (type === "ERROR") throw refusedByStatus(action, object as Status);
    yield type === "BOOKMARK" ? bookmark(object as T) : ({ type, object } as WatchEvent<T>);
  }
  return undefined;
}

/** Lines in the order they end; one that never ends is not a line. */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  let begun: Buffer[] = [];
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      begun.push(chunk.subarray(start, end));
      const line = begun.length === 1 ? begun[0] : Buffer.concat(begun);
      begun = [];
      start = end + 1;
      if (line !== undefined && line.length > 0) yield line.toString();
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  return undefined;
}

function bookmark({ metadata }: ApiObject): WatchEvent<never> {
  return {
    type: "BOOKMARK",
    resourceVersion: metadata.resourceVersion ?? "",
    endsInitialEvents: metadata.annotations?.["k8s.io/initial-events-end"] === "true",
  };
}
