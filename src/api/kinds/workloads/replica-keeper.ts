// Rules that ReplicaSets and ReplicationControllers share: counts of pods, and the printed columns.
import type { ReplicaSet } from "../../types/apps.ts";
import type { ReplicationController } from "../../types/core.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, integer, nameColumn, table, text, wide } from "../table.ts";
import { containersColumn, imagesColumn } from "./columns.ts";
import { availableErrors, countErrors, partErrors } from "./replica-counts.ts";

const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
const counts = [...parts, "replicas", "observedGeneration", "terminatingReplicas"];

export function replicaKeeper<T extends ReplicaSet | ReplicationController>(
  selectorText: (object: T) => string,
) {
  return {
    initialStatus: () => ({ replicas: 0 }),
    validateStatusUpdate: ({ status }) => [
      ...countErrors(status, counts),
      ...partErrors(status, parts),
      ...availableErrors(status),
    ],
    selectableFields: ["status.replicas"],
    selectableField: ({ status }) => String(status?.replicas ?? 0),
    table: table<T>([
      nameColumn,
      integer("Desired", ({ spec }) => spec.replicas),
      integer("Current", ({ status }) => status?.replicas),
      integer("Ready", ({ status }) => status?.readyReplicas),
      ageColumn,
      wide(containersColumn(({ spec }) => spec.template)),
      wide(imagesColumn(({ spec }) => spec.template)),
      wide(text("Selector", selectorText)),
    ]),
  } satisfies Kind<T> & { initialStatus(): object };
}
