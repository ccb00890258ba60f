// Checks of volume mounts: where a container sees the volumes of its pod.

import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, notFound, notSupported } from "../../fields/field-errors.ts";
import type {
  Container,
  EphemeralContainer,
  PodSpec,
  VolumeDevice,
  VolumeMount,
} from "../../types/core.ts";
import { each, isRepeated, optionalOneOf, present } from "../checks.ts";
import { descendingPathErrors, noBackstepErrors } from "./validate-paths.ts";

const propagations = ["Bidirectional", "HostToContainer", "None"];

export function mountErrors(
  container: Container | EphemeralContainer,
  { volumes = [] }: PodSpec,
  path: string,
): FieldError[] {
  const { volumeMounts, volumeDevices = [], securityContext } = container;
  const targets = new Set<string>();
  return each(volumeMounts, path, (mount, one) => {
    const { name, mountPath, subPath = "", subPathExpr = "", mountPropagation } = mount;
    const isPrivileged = securityContext?.privileged === true;
    const both = "subPathExpr and subPath are mutually exclusive";
    const isDevice = volumeDevices.some((device) => device.name === name);
    return [
      ...present(`${one}.name`, name),
      ...(volumes.some((volume) => volume.name === name) ? [] : [notFound(`${one}.name`, name)]),
      ...present(`${one}.mountPath`, mountPath),
      ...(isRepeated(targets, mountPath)
        ? [invalid(`${one}.mountPath`, mountPath, "must be unique")]
        : []),
      ...(isDevice
        ? [invalid(`${one}.name`, name, "must not already exist in volumeDevices")]
        : []),
      ...descendingPathErrors(subPath, `${path}.subPath`),
      ...(subPath && subPathExpr ? [invalid(`${one}.subPathExpr`, subPathExpr, both)] : []),
      ...descendingPathErrors(subPathExpr, `${path}.subPathExpr`),
      ...optionalOneOf(`${path}.mountPropagation`, mountPropagation, propagations),
      ...(mountPropagation === "Bidirectional" && !isPrivileged
        ? [
            forbidden(
              `${path}.mountPropagation`,
              "Bidirectional mount propagation is available only to privileged containers",
            ),
          ]
        : []),
      ...readOnlyErrors(mount, `${path}.recursiveReadOnly`),
    ];
  });
}

function readOnlyErrors(mount: VolumeMount, field: string): FieldError[] {
  const { recursiveReadOnly, readOnly, mountPropagation = "None" } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return [];
  const supported = ["Disabled", "Enabled", "IfPossible"];
  if (!supported.includes(recursiveReadOnly)) {
    return [notSupported(field, recursiveReadOnly, supported)];
  }
  const only = "may only be specified when mountPropagation is None or not specified";
  return [
    ...(readOnly === true ? [] : [forbidden(field, "may only be specified when readOnly is true")]),
    ...(mountPropagation === "None" ? [] : [forbidden(field, only)]),
  ];
}

export function deviceErrors(
  { volumeDevices, volumeMounts = [] }: Container | EphemeralContainer,
  { volumes = [] }: PodSpec,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  const onlyClaims =
    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
  return each(volumeDevices, path, ({ name, devicePath }: VolumeDevice, one) => {
    const volume = volumes.find((candidate) => candidate.name === name);
    const isClaim = volume?.persistentVolumeClaim !== undefined || volume?.ephemeral !== undefined;
    const isMounted = volumeMounts.some((mount) => mount.name === name);
    return [
      ...present(`${one}.name`, name),
      ...(name && isRepeated(names, name) ? [invalid(`${one}.name`, name, "must be unique")] : []),
      ...(volume !== undefined && !isClaim ? [invalid(`${one}.name`, name, onlyClaims)] : []),
      ...(volume === undefined ? [notFound(`${one}.name`, name)] : []),
      ...present(`${one}.devicePath`, devicePath),
      ...(devicePath && isRepeated(paths, devicePath)
        ? [invalid(`${one}.devicePath`, devicePath, "must be unique")]
        : []),
      ...noBackstepErrors(devicePath, `${one}.devicePath`),
      ...(isMounted
        ? [invalid(`${one}.name`, name, "must not already exist in volumeMounts")]
        : []),
    ];
  });
}
