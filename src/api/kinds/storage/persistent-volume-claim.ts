import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, required } from "../../fields/field-errors.ts";
import { dnsSubdomain } from "../../fields/names.ts";
import { canonicalAmount, nanosOf } from "../../fields/quantity.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../../types/core.ts";
import { immutable, optionalName } from "../checks.ts";
import { sameMeaning } from "../equality.ts";
import type { Kind } from "../kind.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text, wide } from "../table.ts";
import { accessModeErrors, accessModesText } from "./access-modes.ts";

export const persistentVolumeClaim: Kind<PersistentVolumeClaim> =
  specAndStatus<PersistentVolumeClaim>({
    hasGeneration: false,
    default(object) {
      const amounts = object.spec.resources?.requests ?? {};
      for (const [name, amount] of Object.entries(amounts)) amounts[name] = canonicalAmount(amount);
      object.status ??= {};
      object.status.phase ||= "Pending";
    },
    initialStatus: () => ({ phase: "Pending" }),
    validate: ({ spec }) => specErrors(spec),
    validateUpdate: changeErrors,
    table: table<PersistentVolumeClaim>([
      nameColumn,
      text("Status", ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined ? status?.phase : "Terminating",
      ),
      text("Volume", ({ spec }) => spec.volumeName),
      text("Capacity", ({ spec, status }) =>
        spec.volumeName ? (status?.capacity?.["storage"] ?? "0") : "",
      ),
      text("Access Modes", ({ spec, status }) =>
        spec.volumeName ? accessModesText(status?.accessModes) : "",
      ),
      text("StorageClass", ({ spec }) => spec.storageClassName),
      text("VolumeAttributesClass", ({ spec }) => spec.volumeAttributesClassName ?? "<unset>"),
      ageColumn,
      wide(text("VolumeMode", ({ spec }) => spec.volumeMode ?? "<unset>")),
    ]),
  });

function specErrors(spec: PersistentVolumeClaimSpec): FieldError[] {
  const storage = spec.resources?.requests?.["storage"];
  const path = "spec.resources[storage]";
  return [
    ...((spec.accessModes ?? []).length === 0
      ? [required("spec.accessModes", "at least 1 access mode is required")]
      : []),
    ...validateLabelSelector(spec.selector, "spec.selector"),
    ...accessModeErrors(spec.accessModes, "spec.accessModes"),
    ...(storage === undefined ? [required(path)] : []),
    ...(storage !== undefined && nanosOf(storage) <= 0n
      ? [invalid(path, storage, "must be greater than zero")]
      : []),
    ...optionalName("spec.storageClassName", spec.storageClassName, dnsSubdomain),
  ];
}

/** Refuses changes of a claim, except to set its volume or class and to resize it once it is bound. */
function changeErrors(object: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const isBound = old.status?.phase === "Bound";
  const sizeOf = ({ spec }: PersistentVolumeClaim) => spec.resources?.requests?.["storage"] ?? "0";
  const comparable = ({ spec }: PersistentVolumeClaim) => ({
    ...spec,
    volumeName: old.spec.volumeName ? spec.volumeName : undefined,
    storageClassName: old.spec.storageClassName === undefined ? undefined : spec.storageClassName,
    resources: isBound ? undefined : spec.resources,
    volumeAttributesClassName: isBound ? undefined : spec.volumeAttributesClassName,
  });
  const detail =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  const isSmaller = nanosOf(sizeOf(object)) < nanosOf(sizeOf(old));
  return [
    ...(sameMeaning(comparable(object), comparable(old)) ? [] : [forbidden("spec", detail)]),
    ...(isSmaller
      ? [forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")]
      : []),
    ...immutable("volumeMode", object.spec.volumeMode, old.spec.volumeMode),
  ];
}
