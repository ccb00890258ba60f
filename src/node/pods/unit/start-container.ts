// Starts a container of a pod's spec.

import { messageOf } from "../../../base/program/errors.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import {
  ImageError,
  isImageNameInvalid,
  isImageNeverPulled,
  isNotMountable,
} from "../../runtime/runtime.ts";
import { ensureImage } from "../containers/ensure-image.ts";
import { containerSpecOf } from "../containers/spec.ts";
import { restartDelay } from "../decide/restart.ts";
import type { Slot } from "../decide/slots.ts";
import type { Failure } from "../decide/view.ts";
import { isConfigurationError } from "../environment/error.ts";
import { kernelHostname } from "../sandbox/hostname.ts";
import type { PodContext } from "./context.ts";
import type { PodParts } from "./pod-parts.ts";

const configurationRetryMs = 2_000;

export async function startContainer(
  parts: PodParts,
  slot: Slot,
  { attempt, signal }: { readonly attempt: number; readonly signal: AbortSignal },
): Promise<ContainerState> {
  const { context, facts, sandbox, volumes, files, messages, pod, remark } = parts;
  if (sandbox === undefined || !(await context.sandboxes.isAlive(sandbox))) {
    throw new SandboxLostError();
  }
  const record = await ensureImage({ context, pod, signal, remark }, slot.container);
  const { config } = await context.images.rootOf(record.id);
  const spec = await containerSpecOf(slot, {
    facts,
    objects: context.objects,
    services: context.services.list(),
    attempt,
    hostname: kernelHostname(pod, context.dns.domain),
    sandbox,
    processes: await parts.processesFor(slot),
    image: { id: record.id, config },
    volumeOf: (name) => volumes.get(name),
    files,
    logs: context.directories.logs,
    messages,
    makeFiles: context.machine.makeContainerFiles,
    seccomp: {
      directory: context.directories.seccomp,
      isDefault: context.confinement?.seccompDefault === true,
      machine: context.machine,
    },
    pidsLimit: context.confinement?.pidsLimit,
  });
  const start = () => context.containers.start(spec, { signal });
  const state = await parts.whenFree(start, { step: "container", signal });
  parts.remark("Normal", "Created", `Created container: ${slot.name}`);
  parts.remark("Normal", "Started", `Started container ${slot.name}`);
  return state;
}

/** The sandbox is gone: a new one must be made before containers can be started. */
export class SandboxLostError extends Error {
  override readonly name = "SandboxLostError";
  override readonly message = "Cannot start a container: the pod's sandbox is gone";
}

export function failureOf(
  error: unknown,
  before: Failure | undefined,
  { clock, delays }: Pick<PodContext, "clock" | "delays">,
): Failure {
  const reason = reasonOf(error);
  const count = before?.reason === reason ? before.count + 1 : 1;
  const isSoon = isConfigurationError(error) || isNotMountable(error);
  const wait = isSoon ? configurationRetryMs : restartDelay(count + 1, delays);
  return { reason, message: messageOf(error), count, retryAt: clock.now() + wait };
}

function reasonOf(error: unknown): string {
  if (isConfigurationError(error)) return error.reason;
  if (isNotMountable(error)) return "CreateContainerConfigError";
  if (isImageNeverPulled(error)) return "ErrImageNeverPull";
  if (isImageNameInvalid(error)) return "InvalidImageName";
  return error instanceof ImageError ? "ErrImagePull" : "RunContainerError";
}
