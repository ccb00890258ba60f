// Rules of the kinds that CSI drivers write: about themselves, their nodes, capacity and attachments.

import { duplicate, required } from "../../fields/field-errors.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../types/storage.ts";
import { each, isRepeated } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, type Column, integer, nameColumn, table, text } from "../table.ts";

export const csiDriver: Kind<CSIDriver> = {
  table: table<CSIDriver>([
    nameColumn,
    flag("AttachRequired", ({ spec }) => spec.attachRequired ?? true),
    flag("PodInfoOnMount", ({ spec }) => spec.podInfoOnMount ?? false),
    flag("StorageCapacity", ({ spec }) => spec.storageCapacity ?? false),
    text(
      "TokenRequests",
      ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
    ),
    flag("RequiresRepublish", ({ spec }) => spec.requiresRepublish ?? false),
    text("Modes", ({ spec }) => (spec.volumeLifecycleModes ?? []).join(",") || "<none>"),
    ageColumn,
  ]),
};

export const csiNode: Kind<CSINode> = {
  hasGeneration: false,
  validate({ spec }) {
    const names = new Set<string>();
    return each(spec.drivers, "spec.drivers", ({ name }, path) =>
      isRepeated(names, name) ? [duplicate(`${path}.name`, name)] : [],
    );
  },
  table: table<CSINode>([
    nameColumn,
    integer("Drivers", ({ spec }) => (spec.drivers ?? []).length),
    ageColumn,
  ]),
};

export const csiStorageCapacity: Kind<CSIStorageCapacity> = {
  table: table<CSIStorageCapacity>([
    nameColumn,
    text("StorageClassName", ({ storageClassName }) => storageClassName),
    text("Capacity", ({ capacity }) => capacity ?? "<unset>"),
  ]),
};

export const volumeAttributesClass: Kind<VolumeAttributesClass> = {
  table: table<VolumeAttributesClass>([
    nameColumn,
    text("DriverName", ({ driverName }) => driverName),
    ageColumn,
  ]),
};

export const volumeAttachment: Kind<VolumeAttachment> = {
  validate({ spec }) {
    const { persistentVolumeName, inlineVolumeSpec } = spec.source ?? {};
    if (persistentVolumeName || inlineVolumeSpec !== undefined) return [];
    return [
      required(
        "spec.source",
        "must specify exactly one of inlineVolumeSpec and persistentVolumeName",
      ),
    ];
  },
  table: table<VolumeAttachment>([
    nameColumn,
    { ...text<VolumeAttachment>("Attacher", ({ spec }) => spec.attacher), format: "name" },
    text("PV", ({ spec }) => spec.source.persistentVolumeName),
    text("Node", ({ spec }) => spec.nodeName),
    flag("Attached", ({ status }) => status?.attached ?? false),
    ageColumn,
  ]),
};

function flag<T>(name: string, cell: (object: T) => boolean): Column<T> {
  return { name, type: "boolean", cell };
}
