// Serves `kubectl logs`.

import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { defined } from "../../base/json/defined.ts";
import type { PodContainers } from "../pods/pods.ts";
import type { Containers } from "../runtime/runtime.ts";
import { type LogOptions, readLog } from "../runtime/runtime.ts";
import { ServeError } from "./error.ts";
import { findContainer } from "./found.ts";
import type { ContainerTarget } from "./target.ts";

interface LogParts {
  readonly pods: PodContainers;
  readonly containers: Containers;
  readonly now: () => number;
}

export async function serveLogs(
  target: ContainerTarget,
  response: ServerResponse,
  { pods, containers, now }: LogParts,
): Promise<void> {
  const { query } = target;
  const options = logOptions(query, now());
  const { id, logPath } = await findContainer(pods, target, isSet(query, "previous"));
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { signal } = gone;
  const follow = isSet(query, "follow") ? containers.exited(id, { signal }) : undefined;
  follow?.catch(() => undefined);
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders();
  const entries = readLog(logPath, { ...options, signal, ...defined({ follow }) });
  try {
    await pipeline(Readable.from(entries, { objectMode: false }), response);
  } catch (error) {
    // A client may stop reading a log at any time.
    if (!signal.aborted) throw error;
  }
}

function logOptions(query: URLSearchParams, now: number): LogOptions {
  const tailLines = countIn(query, "tailLines");
  const limitBytes = countIn(query, "limitBytes");
  const since = sinceIn(query, now);
  return {
    timestamps: isSet(query, "timestamps"),
    ...defined({ tailLines, limitBytes, since }),
  };
}

function sinceIn(query: URLSearchParams, now: number): Date | undefined {
  const seconds = countIn(query, "sinceSeconds");
  if (seconds !== undefined) return new Date(now - 1000 * seconds);
  const text = query.get("sinceTime");
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return new Date(time);
  throw new ServeError(400, `sinceTime: Invalid value: "${text}": must be a time`);
}

function countIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServeError(400, `${name}: Invalid value: "${text}": must be a whole number`);
}

export function isSet(query: URLSearchParams, name: string): boolean {
  return ["1", "true"].includes(query.get(name) ?? "");
}
