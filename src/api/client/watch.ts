// Decodes the body of a watch: one event per line.

import { readJson } from "../../base/json/read-json.ts";
import type { Status } from "../types/meta.ts";
import { refusedByStatus } from "./errors.ts";
import type { ApiObject } from "./objects.ts";

export type WatchEvent<T extends ApiObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | {
      /** A bookmark: everything up to this version has been delivered. */
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      /** Whether all objects that existed when the watch began have been delivered. */
      readonly endsInitialEvents: boolean;
    };

type Read = (text: string) => unknown;

/** Decodes events; throws the error with which a watch ends. */
export async function* decodeEvents<T extends ApiObject>(
  body: AsyncIterable<Buffer>,
  { action, read = readJson }: { readonly action: string; readonly read?: Read },
): AsyncGenerator<WatchEvent<T>, undefined> {
  for await (const line of linesOf(body)) {
    const { type, object } = read(line) as { type: string; object: unknown };
    if (type === "ERROR") throw refusedByStatus(action, object as Status);
    yield type === "BOOKMARK" ? bookmark(object as T) : ({ type, object } as WatchEvent<T>);
  }
  return undefined;
}

/** Splits a body into lines; an unterminated one at the end is dropped. */
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
