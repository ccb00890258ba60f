import { forbidden } from "../../fields/field-errors.ts";
import type { StorageClass } from "../../types/storage.ts";
import { sameMeaning } from "../equality.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
const fixed = ["parameters", "provisioner", "reclaimPolicy"] as const;

export const storageClass: Kind<StorageClass> = {
  hasGeneration: true,
  validateUpdate: (object, old) =>
    fixed
      .filter((field) => !sameMeaning(object[field], old[field]))
      .map((field) => forbidden(field, `updates to ${field} are forbidden.`)),
  table: table<StorageClass>([
    { ...nameColumn, cell: nameText },
    text("Provisioner", ({ provisioner }) => provisioner),
    text("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
    text("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"),
    {
      name: "AllowVolumeExpansion",
      type: "string",
      cell: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
    },
    ageColumn,
  ]),
};

/** Returns whether claims without a class get this one. */
export function isDefaultClass({ metadata }: StorageClass): boolean {
  return defaultAnnotations.some((name) => metadata.annotations?.[name] === "true");
}

/** Returns the class that claims without one get: of several, the newest. */
export function defaultClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  const ranks = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? "";
  return [...classes]
    .filter(isDefaultClass)
    .toSorted(
      (one, other) =>
        ranks(other).localeCompare(ranks(one)) ||
        one.metadata.name.localeCompare(other.metadata.name),
    )[0];
}

function nameText(object: StorageClass): string {
  return object.metadata.name + (isDefaultClass(object) ? " (default)" : "");
}
