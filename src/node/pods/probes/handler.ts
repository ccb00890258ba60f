// Runs the handler of a probe or of a lifecycle hook.

import type { Readable } from "node:stream";
import type { PodIP } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { Containers } from "../../runtime/runtime.ts";
import type { Slot } from "../decide/slots.ts";
import type { ProbeFamily } from "../options.ts";
import type { ask, Handler } from "./ask.ts";

export interface HandlerTarget {
  readonly slot: Slot;
  readonly id: string;
  readonly podIPs: readonly PodIP[];
  readonly preferredFamily: ProbeFamily;
  readonly containers: Containers;
  readonly clock: Clock;
  /** Asks the pod over its network. */
  readonly ask: typeof ask;
}

/** Runs a handler. Resolves when it succeeds; rejects with the failure, or when the signal aborts. */
export async function handle(
  handler: Handler,
  target: HandlerTarget,
  signal: AbortSignal,
): Promise<void> {
  const { exec, sleep } = handler;
  const { containers, id } = target;
  if (exec !== undefined) return runInside(exec.command ?? [], { containers, id, signal });
  if (sleep !== undefined) return target.clock.sleep(1000 * sleep.seconds, signal);
  return target.ask(handler, target, signal);
}

/** Runs a handler with a timeout. */
export async function handleWithin(
  handler: Handler,
  target: HandlerTarget,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const late = new AbortController();
  const state = `it took longer than ${timeoutMs / 1000} s`;
  const timer = target.clock.setTimer(timeoutMs, () => late.abort(new Error(state)));
  try {
    await handle(handler, target, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    late.signal.throwIfAborted();
    throw error;
  } finally {
    timer.cancel();
  }
}

interface ExecTarget {
  readonly containers: Containers;
  readonly id: string;
  readonly signal: AbortSignal;
}

/** The number of output bytes shown when the command fails. */
const shownBytes = 1024;

/** Runs a command in the container; rejects unless it exits with 0. */
async function runInside(command: readonly string[], target: ExecTarget): Promise<void> {
  const { containers, id, signal } = target;
  const session = await containers.exec(id, { command, signal });
  const said = [session.stdout, session.stderr].map((stream) => firstBytes(stream));
  const code = await session.exited;
  if (code === 0) return;
  const output = said
    .map((read) => read())
    .join("")
    .trim();
  throw new Error(`the command ended with ${code}${output === "" ? "" : `: ${output}`}`);
}

function firstBytes(stream: Readable | undefined): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on("data", (chunk: Buffer) => {
    if (bytes < shownBytes) chunks.push(chunk);
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).subarray(0, shownBytes).toString();
}
