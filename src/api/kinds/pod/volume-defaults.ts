import type { Volume } from "../../types/core.ts";
import { formatQuantity, parseQuantity } from "../quantity.ts";
import { defaultFieldReferences } from "./field-references.ts";
import { defaultPullPolicy } from "./image.ts";

export function defaultVolume(volume: Volume): void {
  const { name: _, ...sources } = volume;
  if (Object.keys(sources).length === 0) volume.emptyDir = {};
  const { emptyDir, downwardAPI, projected, image, ephemeral } = volume;
  if (ephemeral?.volumeClaimTemplate !== undefined) {
    ephemeral.volumeClaimTemplate.metadata ??= {};
  }
  if (image !== undefined) image.pullPolicy ||= defaultPullPolicy(image.reference);
  if (emptyDir?.sizeLimit !== undefined) {
    emptyDir.sizeLimit = formatQuantity(parseQuantity(emptyDir.sizeLimit));
  }
  for (const file of downwardAPI?.items ?? []) defaultFieldReferences(file);
  for (const source of projected?.sources ?? []) {
    for (const file of source.downwardAPI?.items ?? []) defaultFieldReferences(file);
  }
}
