import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../fields/field-errors.ts";
import { canonicalAmount, nanosOf } from "../../fields/quantity.ts";
import type { PersistentVolume, PersistentVolumeSpec } from "../../types/core.ts";
import { sameMeaning } from "../equality.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text, wide } from "../table.ts";
import { accessModeErrors, accessModesText } from "./access-modes.ts";

/** The fields of the spec that are not sources; every other field is a source of the volume. */
const ordinary = new Set([
  "capacity",
  "accessModes",
  "claimRef",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "mountOptions",
  "volumeMode",
  "nodeAffinity",
  "volumeAttributesClassName",
]);

export const persistentVolume: Kind<PersistentVolume> = specAndStatus<PersistentVolume>({
  hasGeneration: false,
  default(object) {
    const { capacity = {} } = object.spec;
    for (const [name, amount] of Object.entries(capacity)) capacity[name] = canonicalAmount(amount);
    object.status ??= {};
    object.status.phase ||= "Pending";
  },
  initialStatus: () => ({ phase: "Pending" }),
  validate: ({ spec }) => specErrors(spec),
  validateUpdate: ({ spec }, old) =>
    sameMeaning(sourceOf(spec), sourceOf(old.spec))
      ? []
      : [
          forbidden(
            "spec.persistentvolumesource",
            "spec.persistentvolumesource is immutable after creation",
          ),
        ],
  table: table<PersistentVolume>([
    nameColumn,
    text("Capacity", ({ spec }) => spec.capacity?.["storage"] ?? "0"),
    text("Access Modes", ({ spec }) => accessModesText(spec.accessModes)),
    text("Reclaim Policy", ({ spec }) => spec.persistentVolumeReclaimPolicy),
    text("Status", ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined ? status?.phase : "Terminating",
    ),
    text("Claim", ({ spec: { claimRef } }) =>
      claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
    ),
    text("StorageClass", ({ spec }) => spec.storageClassName),
    text("VolumeAttributesClass", ({ spec }) => spec.volumeAttributesClassName ?? "<unset>"),
    text("Reason", ({ status }) => status?.reason),
    ageColumn,
    wide(text("VolumeMode", ({ spec }) => spec.volumeMode ?? "<unset>")),
  ]),
});

function sourceOf(spec: PersistentVolumeSpec): Record<string, unknown> {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !ordinary.has(field)));
}

function specErrors(spec: PersistentVolumeSpec): FieldError[] {
  const { capacity = {} } = spec;
  const names = Object.keys(capacity);
  const [first, ...others] = Object.keys(sourceOf(spec));
  const storage = capacity["storage"];
  return [
    ...accessModeErrors(spec.accessModes, "spec.accessModes"),
    ...(names.length === 0 ? [required("spec.capacity")] : []),
    ...(storage === undefined || names.length > 1
      ? [notSupported("spec.capacity", capacity, ["storage"])]
      : []),
    ...(storage !== undefined && nanosOf(storage) <= 0n
      ? [invalid("spec.capacity[storage]", storage, "must be greater than zero")]
      : []),
    ...(first === undefined ? [required("spec", "must specify a volume type")] : []),
    ...others.map((source) =>
      forbidden(`spec.${source}`, "may not specify more than 1 volume type"),
    ),
    ...(spec.hostPath !== undefined && !spec.hostPath.path ? [required("spec.hostPath.path")] : []),
    ...(spec.local !== undefined && spec.nodeAffinity === undefined
      ? [required("spec.nodeAffinity", "Local volume requires node affinity")]
      : []),
  ];
}
