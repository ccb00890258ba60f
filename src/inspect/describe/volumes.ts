import type { Volume, VolumeProjection } from "../../api/types/core.ts";
import { field, indented } from "./layout.ts";

export function volumeLines(volumes: readonly Volume[]): string[] {
  if (volumes.length === 0) return field("Volumes", undefined);
  return [
    "Volumes:",
    ...volumes.flatMap((volume) => [
      `  ${volume.name}:`,
      ...indented(indented(sourceLines(volume))),
    ]),
  ];
}

function sourceLines(volume: Volume): string[] {
  const { emptyDir, hostPath, configMap, secret, projected, downwardAPI } = volume;
  if (emptyDir !== undefined) {
    return [
      ...field("Type", "EmptyDir (a temporary directory that shares a pod's lifetime)"),
      ...field("Medium", emptyDir.medium ?? ""),
      ...field("SizeLimit", emptyDir.sizeLimit ?? "<unset>"),
    ];
  }
  if (hostPath !== undefined) {
    return [
      ...field("Type", "HostPath (bare host directory volume)"),
      ...field("Path", hostPath.path),
      ...field("HostPathType", hostPath.type ?? ""),
    ];
  }
  if (configMap !== undefined) {
    return [
      ...field("Type", "ConfigMap (a volume populated by a ConfigMap)"),
      ...field("Name", configMap.name ?? ""),
      ...field("Optional", String(configMap.optional ?? false)),
    ];
  }
  if (secret !== undefined) {
    return [
      ...field("Type", "Secret (a volume populated by a Secret)"),
      ...field("SecretName", secret.secretName ?? ""),
      ...field("Optional", String(secret.optional ?? false)),
    ];
  }
  if (projected !== undefined) {
    return [
      ...field("Type", "Projected (a volume that contains injected data from multiple sources)"),
      ...(projected.sources ?? []).flatMap(projectionLines),
    ];
  }
  if (downwardAPI !== undefined) {
    return field("Type", "DownwardAPI (a volume populated by information about the pod)");
  }
  const [kind = "unknown"] = Object.keys(volume).filter((key) => key !== "name");
  return field("Type", kind);
}

function projectionLines(projection: VolumeProjection): string[] {
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = projection;
  // kubectl prints this field's value as it is, and Go prints a missing one as `<nil>`.
  const optional = (source: { optional?: boolean }) => String(source.optional ?? "<nil>");
  return [
    ...(secret === undefined
      ? []
      : [
          ...field("SecretName", secret.name ?? ""),
          ...field("SecretOptionalName", optional(secret)),
        ]),
    ...(downwardAPI === undefined ? [] : field("DownwardAPI", "true")),
    ...(configMap === undefined
      ? []
      : [
          ...field("ConfigMapName", configMap.name ?? ""),
          ...field("ConfigMapOptional", optional(configMap)),
        ]),
    ...(token === undefined
      ? []
      : field("TokenExpirationSeconds", String(token.expirationSeconds ?? 0))),
  ];
}
