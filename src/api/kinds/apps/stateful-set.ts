import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid } from "../../fields/field-errors.ts";
import { dnsLabel } from "../../fields/names.ts";
import type { StatefulSet, StatefulSetSpec, StatefulSetUpdateStrategy } from "../../types/apps.ts";
import { atMostAll, countOrShare, isSome, nonNegative } from "../checks.ts";
import { sameMeaning } from "../equality.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text, wide } from "../table.ts";
import { containersColumn, imagesColumn } from "../workloads/columns.ts";
import {
  availableErrors,
  collisionErrors,
  countErrors,
  partErrors,
} from "../workloads/replica-counts.ts";
import {
  defaultTemplate,
  endlessErrors,
  mismatchErrors,
  selectorErrors,
  templateMetadataErrors,
} from "../workloads/template.ts";

const policies = ["OrderedReady", "Parallel"];

export const statefulSet: Kind<StatefulSet> = specAndStatus<StatefulSet>({
  name: dnsLabel,
  default(object) {
    defaultSpec(object.spec);
  },
  initialStatus: () => ({ replicas: 0, availableReplicas: 0 }),
  validate: specErrors,
  validateUpdate: changeErrors,
  validateStatusUpdate: ({ status }, old) => [
    ...countErrors(status, [
      "replicas",
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
      "observedGeneration",
      "collisionCount",
    ]),
    ...partErrors(status, [
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
    ]),
    ...availableErrors(status, "status.readyReplicas"),
    ...collisionErrors(status, old.status),
  ],
  table: table<StatefulSet>([
    nameColumn,
    text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`),
    ageColumn,
    wide(containersColumn(({ spec }) => spec.template)),
    wide(imagesColumn(({ spec }) => spec.template)),
  ]),
});

function defaultSpec(spec: StatefulSetSpec): void {
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate !== undefined) {
    strategy.rollingUpdate.partition ??= 0;
  }
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion ??= "v1";
    claim.kind ??= "PersistentVolumeClaim";
    claim.status = { ...claim.status, phase: claim.status?.phase ?? "Pending" };
  }
  defaultTemplate((spec.template ??= {}));
}

function specErrors({ spec }: StatefulSet): FieldError[] {
  const { podManagementPolicy = "" } = spec;
  const detail = "must be 'OrderedReady' or 'Parallel'";
  return [
    ...(policies.includes(podManagementPolicy)
      ? []
      : [invalid("spec.podManagementPolicy", podManagementPolicy, detail)]),
    ...strategyErrors(spec.updateStrategy ?? {}, "spec.updateStrategy"),
    ...selectorErrors(spec.selector, "spec.selector", "statefulset"),
    ...mismatchErrors(spec, "spec"),
    ...templateMetadataErrors(spec.template, "spec.template"),
    ...endlessErrors(spec.template, "spec.template", "StatefulSet"),
  ];
}

function strategyErrors(strategy: StatefulSetUpdateStrategy, path: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const field = `${path}.rollingUpdate`;
  if (type === "OnDelete") {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return rollingUpdate === undefined ? [] : [invalid(field, rollingUpdate, detail)];
  }
  if (type !== "RollingUpdate") {
    return [invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  const { partition, maxUnavailable } = rollingUpdate ?? {};
  const isNone = maxUnavailable !== undefined && !isSome(maxUnavailable);
  return [
    ...nonNegative(`${field}.partition`, partition),
    ...countOrShare(`${field}.maxUnavailable`, maxUnavailable),
    ...(isNone ? [invalid(`${field}.maxUnavailable`, maxUnavailable, "cannot be 0")] : []),
    ...atMostAll(`${field}.maxUnavailable`, maxUnavailable),
  ];
}

const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const satisfies readonly (keyof StatefulSetSpec)[];

function changeErrors({ spec }: StatefulSet, { spec: old }: StatefulSet): FieldError[] {
  if (sameMeaning(fixedPart(spec), fixedPart(old))) return [];
  const quoted = changeable.map((field) => `'${field}'`);
  const list = `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
  const detail = `updates to statefulset spec for fields other than ${list} are forbidden`;
  return [forbidden("spec", detail)];
}

function fixedPart(spec: StatefulSetSpec): object {
  const names: readonly string[] = changeable;
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !names.includes(field)));
}
