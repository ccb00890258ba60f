// Pods whose host ports another pod of the node has are rejected: the scheduler avoids this, but a pod may name
// its node itself.

import { isFinishedPod, isSidecar } from "../../../api/kinds/pod.ts";
import type { ContainerPort, Pod } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import type { Refusal } from "./refusal.ts";

const message =
  "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";

/** Returns a refusal if one of the other pods, which are on the node already, has a port that this one wants. */
export function hostPortRefusal(pod: Pod, others: readonly Pod[]): Refusal | undefined {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return undefined;
  const taken = others.filter((other) => !isFinishedPod(other)).flatMap(hostPortsOf);
  const isTaken = wanted.some((one) => taken.some((other) => isSame(one, other)));
  return isTaken ? { reason: "NodePorts", message } : undefined;
}

function hostPortsOf({ spec }: Pod): readonly ContainerPort[] {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  const ports = [...spec.containers, ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.filter(({ hostPort = 0 }) => hostPort > 0);
}

function isSame(one: ContainerPort, other: ContainerPort): boolean {
  const { protocol: first = "TCP" } = one;
  const { protocol: second = "TCP" } = other;
  if (one.hostPort !== other.hostPort || first !== second) return false;
  const [left, right] = [one, other].map(({ hostIP = "" }) => Address.tryParse(hostIP));
  if (left === undefined || right === undefined) return true;
  if (left.family !== right.family) return false;
  return left.isUnspecified || right.isUnspecified || left.toString() === right.toString();
}
