// Serves `kubectl logs`.

import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { defined } from "../../base/json/defined.ts";
import type { UpgradeRequest } from "../../base/streaming/handshake.ts";
import { acceptLogSocket } from "../../base/streaming/log-socket.ts";
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
  parts: LogParts,
): Promise<void> {
  const log = await findLog(target, parts);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders();
  const entries = log.read(gone.signal);
  try {
    await pipeline(Readable.from(entries, { objectMode: false }), response);
  } catch (error) {
    // A client may stop reading a log at any time.
    if (!gone.signal.aborted) throw error;
  }
}

/** Serves a log over WebSocket. */
export async function serveLogSocket(
  target: ContainerTarget,
  upgrade: UpgradeRequest,
  parts: LogParts,
): Promise<void> {
  const log = await findLog(target, parts);
  const socket = await acceptLogSocket(upgrade);
  await socket.send(log.read(socket.gone));
}

interface FoundLog {
  read(signal: AbortSignal): ReturnType<typeof readLog>;
}

async function findLog(
  target: ContainerTarget,
  { pods, containers, now }: LogParts,
): Promise<FoundLog> {
  const { query } = target;
  const options = logOptions(query, now());
  const { id, logPath } = await findContainer(pods, target, isSet(query, "previous"));
  return {
    read(signal) {
      const follow = isSet(query, "follow") ? containers.exited(id, { signal }) : undefined;
      follow?.catch(() => undefined);
      return readLog(logPath, { ...options, signal, ...defined({ follow }) });
    },
  };
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
