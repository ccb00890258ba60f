// The health and metrics endpoints of a program: /livez, /readyz, /healthz and /metrics.

import type { IncomingMessage, ServerResponse } from "node:http";
import { describeError } from "./errors.ts";
import { metricsContentType, type Registry } from "./metrics.ts";

export interface HealthCheck {
  readonly name: string;
  /** Throws (or rejects) when unhealthy. The signal aborts when the check has timed out. */
  check(signal: AbortSignal): void | Promise<void>;
}

export interface HealthOptions {
  /** The liveness checks: if one fails, the process should be restarted. */
  readonly live?: readonly HealthCheck[];
  /** The readiness checks, on top of the liveness checks: if one fails, no traffic should be sent. */
  readonly ready?: readonly HealthCheck[];
  readonly metrics?: Registry;
  /** The timeout of a check. */
  readonly timeoutMs?: number;
  /** Whether to name only the check that failed, without its error, where strangers may ask. */
  readonly withholdReasons?: boolean;
}

/** Answers the request if it is for a health endpoint, and returns whether it was. */
export type HealthHandler = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<boolean>;

/**
 * Creates the handler. `?verbose` lists the checks, `?exclude=NAME` leaves one out, `/readyz/NAME` runs one
 * alone. `/healthz` is `/livez`, since it is what liveness probes are pointed at.
 */
export function createHealthHandler(options: HealthOptions): HealthHandler {
  const { live = [], ready = [], metrics, timeoutMs = 5_000, withholdReasons = false } = options;
  const endpoints = new Map([
    ["livez", live],
    ["healthz", live],
    ["readyz", [...live, ...ready]],
  ]);
  return async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const [, endpoint = "", name, ...deeper] = url.pathname.split("/");
    const checks = endpoints.get(endpoint);
    const isMetrics = url.pathname === "/metrics" && metrics !== undefined;
    if (!isMetrics && (checks === undefined || deeper.length > 0)) return false;
    if (request.method !== "GET" && request.method !== "HEAD") {
      respond(response, { status: 405, text: "Cannot answer: only GET is allowed\n" });
    } else if (isMetrics) {
      respond(response, { status: 200, text: metrics.render(), type: metricsContentType });
    } else {
      const excluded = url.searchParams.getAll("exclude");
      const chosen = (checks ?? []).filter(
        (check) => !excluded.includes(check.name) && (name === undefined || check.name === name),
      );
      if (name !== undefined && chosen.length === 0) return false;
      const results = await Promise.all(chosen.map((check) => carryOut(check, timeoutMs)));
      const isVerbose = url.searchParams.has("verbose");
      respond(response, report(endpoint, results, { isVerbose, withholdReasons }));
    }
    return true;
  };
}

/** A check that fails as soon as the program has been asked to stop, so that traffic goes elsewhere. */
export function untilStopped(signal: AbortSignal): HealthCheck {
  return { name: "shutdown", check: () => signal.throwIfAborted() };
}

interface Result {
  readonly name: string;
  readonly problem: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

async function carryOut(check: HealthCheck, timeoutMs: number): Promise<Result> {
  const timeout = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`no answer within ${timeoutMs} ms`);
    timeout.abort(error);
    reject(error);
  }, timeoutMs);
  try {
    await Promise.race([late, (async () => check.check(timeout.signal))()]);
    return { name: check.name, problem: undefined };
  } catch (error) {
    return { name: check.name, problem: describeError(error) };
  } finally {
    clearTimeout(timer);
  }
}

function report(
  endpoint: string,
  results: readonly Result[],
  how: { readonly isVerbose: boolean; readonly withholdReasons: boolean },
): Answer {
  const isHealthy = results.every(({ problem }) => problem === undefined);
  if (isHealthy && !how.isVerbose) return { status: 200, text: "ok" };
  const lines = results.map(({ name, problem }) => {
    if (problem === undefined) return `[+]${name} ok`;
    return `[-]${name} failed: ${how.withholdReasons ? "reason withheld" : problem}`;
  });
  lines.push(`${endpoint} check ${isHealthy ? "passed" : "failed"}`);
  return { status: isHealthy ? 200 : 503, text: `${lines.join("\n")}\n` };
}

function respond(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, {
    "content-type": answer.type ?? "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(answer.text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(answer.text);
}
