// Asks a pod over its network: the HTTP, TCP and gRPC handlers of probes and hooks.

import type {
  Container,
  EphemeralContainer,
  LifecycleHandler,
  PodIP,
  Probe,
} from "../../../api/types/core.ts";
import type { Slot } from "../decide/slots.ts";
import type { ProbeFamily } from "../options.ts";
import { askGrpc } from "./grpc.system.ts";
import { askHttp } from "./http.system.ts";
import { probeAddresses } from "./target.ts";
import { askTcp } from "./tcp.system.ts";

export type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & LifecycleHandler;

interface AskedPod {
  readonly slot: Slot;
  readonly podIPs: readonly PodIP[];
  readonly preferredFamily: ProbeFamily;
}

/** Asks as the handler says. Resolves when it succeeds; rejects with the failure. */
export async function ask(
  { httpGet, tcpSocket, grpc }: Handler,
  target: AskedPod,
  signal: AbortSignal,
): Promise<void> {
  const { slot } = target;
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

function hostsOf(host: string | undefined, target: AskedPod): readonly string[] {
  if (host !== undefined && host !== "") return [host];
  return probeAddresses(target.podIPs, target.preferredFamily).map(String);
}

/** Asks all hosts at once; one success is enough. */
async function any(hosts: readonly string[], one: (host: string) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(hosts.map(one));
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
