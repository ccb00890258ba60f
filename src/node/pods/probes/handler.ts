// Runs the handler of a probe or of a lifecycle hook.

import { once } from "node:events";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import type {
  Container,
  EphemeralContainer,
  LifecycleHandler,
  PodIP,
  Probe,
} from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { Containers } from "../../runtime/runtime.ts";
import type { Slot } from "../decide/slots.ts";
import type { ProbeFamily } from "../options.ts";
import { askGrpc } from "./grpc.ts";
import { askHttp } from "./http.ts";
import { probeAddresses } from "./target.ts";

export interface HandlerTarget {
  readonly slot: Slot;
  readonly id: string;
  readonly podIPs: readonly PodIP[];
  readonly preferredFamily: ProbeFamily;
  readonly containers: Containers;
  readonly clock: Clock;
}

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & LifecycleHandler;

/** Runs a handler. Resolves when it succeeds; rejects with the failure, or when the signal aborts. */
export async function handle(
  handler: Handler,
  target: HandlerTarget,
  signal: AbortSignal,
): Promise<void> {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const { slot, containers, id } = target;
  if (exec !== undefined) return runInside(exec.command ?? [], { containers, id, signal });
  if (sleep !== undefined) return target.clock.sleep(1000 * sleep.seconds, signal);
  if (httpGet !== undefined) {
    const port = portNumber(httpGet.port, slot.container);
    return any(hostsOf(httpGet.host, target), (host) => askHttp(httpGet, { host, port, signal }));
  }
  if (tcpSocket !== undefined) {
    const port = portNumber(tcpSocket.port, slot.container);
    return any(hostsOf(tcpSocket.host, target), (host) => askTcp({ host, port, signal }));
  }
  if (grpc !== undefined) {
    const { port, service = "" } = grpc;
    return any(hostsOf(undefined, target), (host) => askGrpc({ host, port, service, signal }));
  }
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

function hostsOf(host: string | undefined, target: HandlerTarget): readonly string[] {
  if (host !== undefined && host !== "") return [host];
  return probeAddresses(target.podIPs, target.preferredFamily).map(String);
}

/** Asks all hosts at once; one success is enough. */
async function any(hosts: readonly string[], ask: (host: string) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(hosts.map(ask));
  if (outcomes.some(({ status }) => status === "fulfilled")) return;
  const errors = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason as unknown] : [],
  );
  if (errors.length === 1) throw errors[0];
  throw new AggregateError(
    errors,
    hosts.length === 0 ? "the pod has no address" : "nobody answers",
  );
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

/** Resolves a port given by number, or by the name it has in the container's spec. */
function portNumber(
  port: number | string,
  { name, ports = [] }: Container | EphemeralContainer,
): number {
  const number = typeof port === "number" ? port : Number(port);
  if (Number.isInteger(number)) return number;
  const found = ports.find((each) => each.name === port);
  if (found !== undefined) return found.containerPort;
  const state = `container ${JSON.stringify(name)} has no port of that name`;
  throw new Error(`Cannot reach port ${JSON.stringify(port)}: ${state}`);
}

interface TcpTarget {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Connects to the port; rejects when nothing accepts the connection. */
async function askTcp({ host, port, signal }: TcpTarget): Promise<void> {
  const socket = connect({ host, port, signal });
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}
