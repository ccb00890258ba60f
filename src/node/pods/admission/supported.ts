// Pods with a field that protects and that this node cannot enforce are rejected: their author relies on it.

import type { Pod, PodSecurityContext, PodSpec, SecurityContext } from "../../../api/types/core.ts";
import { type Slot, slotsOf } from "../decide/slots.ts";
import type { Refusal } from "./refusal.ts";

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";

/** Returns a refusal for the first field that is not supported. */
export function supportRefusal(pod: Pod): Refusal | undefined {
  const { spec } = pod;
  if ((spec.os?.name ?? "linux") !== "linux") {
    const message = "Failed to admit pod as the OS field doesn't match node OS";
    return { reason: "PodOSNotSupported", message };
  }
  const { runtimeClassName = "" } = spec;
  if (runtimeClassName !== "") {
    const name = JSON.stringify(runtimeClassName);
    const message = `Cannot use RuntimeClass ${name}: this node has one runtime for all pods`;
    return { reason: "RuntimeClassNotSupported", message };
  }
  const contexts = [
    { path: "spec.securityContext", context: spec.securityContext ?? {} },
    ...slotsOf(spec)
      .filter(({ kind }) => kind !== "ephemeral")
      .map(contextOf),
  ];
  return (
    contexts.map(contextRefusal).find((refusal) => refusal !== undefined) ??
    annotationRefusal(pod) ??
    podRefusal(spec) ??
    slotsOf(spec)
      .filter(({ kind }) => kind !== "ephemeral")
      .map(fieldRefusal)
      .find((refusal) => refusal !== undefined)
  );
}

/** Refuses what concerns the pod as a whole. */
function podRefusal({ resourceClaims = [], resources }: PodSpec): Refusal | undefined {
  if (resourceClaims.length > 0) {
    return unsupported("spec.resourceClaims", "dynamic resource allocation is not supported");
  }
  if (Object.keys(resources?.limits ?? {}).length > 0) {
    return unsupported("spec.resources.limits", "limits are those of containers");
  }
  return undefined;
}

/** Refuses mounts and resources of a container that it would rely on and not get. */
function fieldRefusal({ path, container }: Slot): Refusal | undefined {
  for (const [index, { mountPropagation = "None" }] of (container.volumeMounts ?? []).entries()) {
    if (mountPropagation === "None") continue;
    const field = `spec.${path}.volumeMounts[${index}].mountPropagation`;
    return unsupported(`${field} ${mountPropagation}`, "mounts are not propagated");
  }
  if ((container.resources?.claims ?? []).length > 0) {
    return unsupported(
      `spec.${path}.resources.claims`,
      "dynamic resource allocation is not supported",
    );
  }
  return undefined;
}

/** Returns the refusal for one container, for ephemeral containers that are added to a running pod. */
export function containerRefusal(slot: Slot): Refusal | undefined {
  return contextRefusal(contextOf(slot)) ?? fieldRefusal(slot);
}

interface PlacedContext {
  readonly path: string;
  readonly context: PodSecurityContext & SecurityContext;
}

function contextOf({ path, container }: Slot): PlacedContext {
  return { path: `spec.${path}.securityContext`, context: container.securityContext ?? {} };
}

function contextRefusal({ path, context }: PlacedContext): Refusal | undefined {
  const { appArmorProfile, seLinuxOptions, windowsOptions } = context;
  if (appArmorProfile !== undefined && appArmorProfile.type !== "Unconfined") return noAppArmor;
  if (Object.keys(seLinuxOptions ?? {}).length > 0) {
    return unsupported(`${path}.seLinuxOptions`, "SELinux is not supported");
  }
  if (Object.keys(windowsOptions ?? {}).length > 0) {
    return unsupported(`${path}.windowsOptions`, "this node runs Linux");
  }
  return undefined;
}

/** Checks the AppArmor annotation, which was in use before the appArmorProfile field existed. */
function annotationRefusal({ metadata: { annotations = {} } }: Pod): Refusal | undefined {
  const asked = Object.entries(annotations).filter(([key]) => key.startsWith(appArmorAnnotation));
  return asked.some(([, profile]) => profile !== "unconfined") ? noAppArmor : undefined;
}

const noAppArmor: Refusal = {
  reason: "AppArmor",
  message: "Cannot enforce AppArmor: AppArmor is not supported on this node",
};

function unsupported(field: string, state: string): Refusal {
  return { reason: "UnsupportedField", message: `Cannot use ${field}: ${state}` };
}
