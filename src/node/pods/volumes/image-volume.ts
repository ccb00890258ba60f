// Volumes of kind image: the files of an image, to be read.

import type { ImageVolumeSource } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { ensureImage, type ImageUser } from "../containers/ensure-image.ts";
import { ConfigurationError } from "../environment/error.ts";
import type { PreparedVolume } from "./prepared-volume.ts";

export async function prepareImageVolume(
  { reference = "", pullPolicy }: ImageVolumeSource,
  user: ImageUser,
  field: string,
): Promise<PreparedVolume> {
  const wanted = { image: reference, ...defined({ imagePullPolicy: pullPolicy }) };
  const { id, isBuiltIn } = await ensureImage(user, wanted);
  if (isBuiltIn) {
    // The files of a built-in image are the machine's, mounted one by one.
    const state = `${JSON.stringify(reference)} is built in`;
    throw new ConfigurationError(`use ${field}.image.reference`, state);
  }
  const { directory } = await user.context.images.rootOf(id);
  return { path: directory, isReadOnly: true, isInert: true };
}
