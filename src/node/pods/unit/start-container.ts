// Starts a container of a pod's spec.

import { messageOf } from "../../../base/program/errors.ts";
import type { ContainerState, ImageRecord } from "../../runtime/runtime.ts";
import {
  ImageError,
  isImageNameInvalid,
  isImageNeverPulled,
  isNotMountable,
} from "../../runtime/runtime.ts";
import { mayUseImage } from "../admission/host-image.ts";
import { type PullLogins, pullLoginsOf } from "../containers/pull-secrets.ts";
import { containerSpecOf } from "../containers/spec.ts";
import { restartDelay } from "../decide/restart.ts";
import type { Slot } from "../decide/slots.ts";
import type { Failure } from "../decide/view.ts";
import { isConfigurationError } from "../environment/error.ts";
import { kernelHostname } from "../sandbox/hostname.ts";
import type { PodContext } from "./context.ts";
import type { PodParts } from "./pod-parts.ts";

const configurationRetryMs = 2_000;
const noLogins: PullLogins = { logins: [], problems: [] };

export async function startContainer(
  parts: PodParts,
  slot: Slot,
  { attempt, signal }: { readonly attempt: number; readonly signal: AbortSignal },
): Promise<ContainerState> {
  const { context, facts, sandbox, volumes, files, messages, pod } = parts;
  if (sandbox === undefined || !(await context.sandboxes.isAlive(sandbox))) {
    throw new SandboxLostError();
  }
  const record = await ensureImage(parts, slot, signal);
  const { config } = await context.images.rootOf(record.id);
  const spec = await containerSpecOf(slot, {
    facts,
    objects: context.objects,
    services: context.services.list(),
    attempt,
    hostname: kernelHostname(pod, context.dns.domain),
    sandbox,
    image: { id: record.id, config },
    volumeOf: (name) => volumes.get(name),
    files,
    logs: context.directories.logs,
    messages,
    seccomp: {
      directory: context.directories.seccomp,
      isDefault: context.confinement?.seccompDefault === true,
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

async function ensureImage(
  { context, pod, remark }: PodParts,
  slot: Slot,
  signal: AbortSignal,
): Promise<ImageRecord> {
  const { image = "", imagePullPolicy = "IfNotPresent" } = slot.container;
  const quoted = JSON.stringify(image);
  if (!mayUseImage(image, pod, context.admission?.hostImageUsers ?? [])) {
    const { namespace, name } = pod.metadata;
    const state = `pod ${namespace}/${name} is not among those that --allow-host-image names`;
    throw new ImageError(`Cannot use image ${quoted}: ${state}`, { reason: "refused" });
  }
  const present = (await context.images.list()).find(({ name }) => name === image);
  const mayBePulled = imagePullPolicy !== "Never" && present?.isBuiltIn !== true;
  const isPulled = mayBePulled && (imagePullPolicy === "Always" || present === undefined);
  const { logins, problems } = isPulled ? await pullLoginsOf(pod, context.objects) : noLogins;
  for (const problem of problems) remark("Warning", "FailedToRetrieveImagePullSecret", problem);
  if (isPulled) remark("Normal", "Pulling", `Pulling image ${quoted}`);
  const begun = context.clock.monotonic();
  const policy = imagePullPolicy;
  const record = await context.images.ensure(image, policy, { signal, logins });
  const seconds = ((context.clock.monotonic() - begun) / 1000).toFixed(3);
  remark(
    "Normal",
    "Pulled",
    isPulled
      ? `Successfully pulled image ${quoted} in ${seconds}s`
      : `Container image ${quoted} already present on machine`,
  );
  return record;
}
