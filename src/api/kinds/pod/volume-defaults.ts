import type { PersistentVolumeClaimSpec, Volume } from "../../types/core.ts";
import { formatQuantity, parseQuantity } from "../quantity.ts";
import { defaultFieldReferences } from "./field-references.ts";
import { defaultPullPolicy } from "./image.ts";

const fileMode = 0o644;
const tokenSeconds = 3600;

export function defaultVolume(volume: Volume): void {
  const { name: _, ...sources } = volume;
  if (Object.keys(sources).length === 0) volume.emptyDir = {};
  const { emptyDir, configMap, secret, downwardAPI, projected, hostPath, image, ephemeral } =
    volume;
  for (const source of [configMap, secret, downwardAPI, projected]) {
    if (source !== undefined) source.defaultMode ??= fileMode;
  }
  if (ephemeral?.volumeClaimTemplate !== undefined) {
    ephemeral.volumeClaimTemplate.metadata ??= {};
    defaultClaimSpec(ephemeral.volumeClaimTemplate.spec);
  }
  if (hostPath !== undefined) hostPath.type ??= "";
  if (image !== undefined) image.pullPolicy ||= defaultPullPolicy(image.reference);
  if (emptyDir?.sizeLimit !== undefined) {
    emptyDir.sizeLimit = formatQuantity(parseQuantity(emptyDir.sizeLimit));
  }
  for (const file of downwardAPI?.items ?? []) defaultFieldReferences(file);
  for (const source of projected?.sources ?? []) {
    if (source.serviceAccountToken !== undefined) {
      source.serviceAccountToken.expirationSeconds ??= tokenSeconds;
    }
    for (const file of source.downwardAPI?.items ?? []) defaultFieldReferences(file);
  }
}

/** Of a claim of storage, wherever it stands. */
export function defaultClaimSpec(spec: PersistentVolumeClaimSpec | undefined): void {
  if (spec !== undefined) spec.volumeMode ||= "Filesystem";
}
