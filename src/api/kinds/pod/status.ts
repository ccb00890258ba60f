import type { FieldError } from "../../fields/field-error.ts";
import { forbidden } from "../../fields/field-errors.ts";
import { dnsSubdomain, qualifiedName } from "../../fields/names.ts";
import { timestamp } from "../../fields/timestamp.ts";
import type { ContainerStatus, Pod, PodStatus } from "../../types/core.ts";
import { each, immutable, named, optionalName } from "../checks.ts";
import type { ClusterSettings } from "../kind.ts";
import { isSidecar } from "./containers.ts";
import { qualityOfService } from "./quality-of-service.ts";

export function initialStatus({ spec }: Pod, { now }: ClusterSettings): PodStatus {
  const status: PodStatus = { phase: "Pending", qosClass: qualityOfService(spec) };
  if ((spec.schedulingGates ?? []).length === 0) return status;
  const gated = {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: timestamp(now()),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return { ...status, conditions: [gated] };
}

/** Returns whether the containers of a pod have ended for good. */
export function isFinishedPod({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Returns the seconds a deletion waits for the node to end the containers; 0 for a pod without a node. */
export function graceSecondsOf(pod: Pod): number {
  const { nodeName, terminationGracePeriodSeconds: seconds = 0 } = pod.spec;
  if (!nodeName || isFinishedPod(pod)) return 0;
  return seconds < 0 ? 1 : seconds;
}

export function statusUpdateErrors(pod: Pod, old: Pod): FieldError[] {
  const { status = {} } = pod;
  const before = old.status ?? {};
  const { restartPolicy = "Always", initContainers = [] } = old.spec;
  const sidecars = initContainers.filter(isSidecar).map(({ name }) => name);
  const system = ["PodScheduled", "Ready", "Initialized"];
  return [
    ...each(status.conditions, "status.conditions", ({ type }, path) =>
      system.includes(type) ? [] : named(`${path}.Type`, type, qualifiedName),
    ),
    ...(status.nominatedNodeName === before.nominatedNodeName
      ? []
      : optionalName("status.nominatedNodeName", status.nominatedNodeName, dnsSubdomain)),
    ...immutable("status.qosClass", status.qosClass, before.qosClass),
    ...revivalErrors("containerStatuses", { status, before, restartPolicy }),
    ...revivalErrors("initContainerStatuses", { status, before, restartPolicy, except: sidecars }),
    ...revivalErrors("ephemeralContainerStatuses", { status, before, restartPolicy: "Never" }),
  ];
}

interface Revival {
  readonly status: PodStatus;
  readonly before: PodStatus;
  readonly restartPolicy: string;
  readonly except?: readonly string[];
}

/** Refuses to revive a container that has ended and must not be restarted. */
function revivalErrors(
  list: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
  { status, before, restartPolicy, except = [] }: Revival,
): FieldError[] {
  if (restartPolicy === "Always") return [];
  const detail = "may not be transitioned to non-terminated state";
  return each(before[list], `status.${list}`, ({ name, state }: ContainerStatus, path) => {
    const ended = state?.terminated;
    const mayRestart = restartPolicy === "OnFailure" && ended?.exitCode !== 0;
    if (ended === undefined || mayRestart || except.includes(name)) return [];
    const now = (status[list] ?? []).find((one) => one.name === name);
    const isRevived = now !== undefined && now.state?.terminated === undefined;
    return isRevived ? [forbidden(`${path}.state`, detail)] : [];
  });
}
