// Makes sure that an image that a pod names is on the node.

import type { Pod } from "../../../api/types/core.ts";
import { ImageError, type ImageRecord } from "../../runtime/runtime.ts";
import { mayUseImage } from "../admission/host-image.ts";
import type { PodContext } from "../unit/context.ts";
import type { PodParts } from "../unit/pod-parts.ts";
import { type PullLogins, pullLoginsOf } from "./pull-secrets.ts";

const noLogins: PullLogins = { logins: [], problems: [] };

export interface ImageUser extends Pick<PodParts, "remark" | "signal"> {
  readonly context: Pick<PodContext, "admission" | "images" | "objects" | "clock">;
  readonly pod: Pod;
}

export interface WantedImage {
  readonly image?: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
}

export async function ensureImage(
  { context, pod, remark, signal }: ImageUser,
  { image = "", imagePullPolicy = "IfNotPresent" }: WantedImage,
): Promise<ImageRecord> {
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
