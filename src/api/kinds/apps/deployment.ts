import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, notSupported } from "../../fields/field-errors.ts";
import type { Deployment, DeploymentStrategy } from "../../types/apps.ts";
import { atMostAll, countOrShare, isSome } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, count, nameColumn, table, text, wide } from "../table.ts";
import { containersColumn, imagesColumn, selectorText } from "../workloads/columns.ts";
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
  validateTemplate,
} from "../workloads/template.ts";

const strategies = ["Recreate", "RollingUpdate"];

export const deployment: Kind<Deployment> = specAndStatus<Deployment>({
  default(object) {
    const { spec } = object;
    const { strategy } = spec;
    if (strategy?.type === "RollingUpdate") {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= "25%";
      strategy.rollingUpdate.maxSurge ??= "25%";
    }
    defaultTemplate((spec.template ??= {}));
  },
  initialStatus: () => ({}),
  prepareStatusUpdate(object, old) {
    if (old.metadata.labels === undefined) delete object.metadata.labels;
    else object.metadata.labels = old.metadata.labels;
  },
  validate: specErrors,
  validateStatusUpdate: ({ status }, old) => [
    ...countErrors(status, [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ]),
    ...partErrors(status, ["updatedReplicas", "readyReplicas", "availableReplicas"]),
    ...availableErrors(status),
    ...collisionErrors(status, old.status),
  ],
  table: table<Deployment>([
    nameColumn,
    text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`),
    count("Up-to-date", ({ status }) => status?.updatedReplicas),
    count("Available", ({ status }) => status?.availableReplicas),
    ageColumn,
    wide(containersColumn(({ spec }) => spec.template)),
    wide(imagesColumn(({ spec }) => spec.template)),
    wide(text("Selector", ({ spec }) => selectorText(spec.selector))),
  ]),
});

function specErrors({ spec }: Deployment): FieldError[] {
  const { progressDeadlineSeconds = 0, minReadySeconds = 0 } = spec;
  const deadline = "spec.progressDeadlineSeconds";
  const template = [
    ...mismatchErrors(spec, "spec"),
    ...validateTemplate(spec.template, "spec.template"),
    ...endlessErrors(spec.template, "spec.template", "ReplicaSet"),
  ];
  return [
    ...selectorErrors(spec.selector, "spec.selector", "deployment"),
    ...template,
    ...strategyErrors(spec.strategy ?? {}, "spec.strategy"),
    ...(progressDeadlineSeconds > minReadySeconds
      ? []
      : [invalid(deadline, progressDeadlineSeconds, "must be greater than minReadySeconds")]),
  ];
}

function strategyErrors(strategy: DeploymentStrategy, path: string): FieldError[] {
  const { type = "", rollingUpdate } = strategy;
  if (!strategies.includes(type)) return [notSupported(path, strategy, strategies)];
  const field = `${path}.rollingUpdate`;
  if (type === "Recreate") {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden(field, detail)];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const detail = "may not be 0 when `maxSurge` is 0";
  return [
    ...countOrShare(`${field}.maxUnavailable`, maxUnavailable),
    ...countOrShare(`${field}.maxSurge`, maxSurge),
    ...(isSome(maxUnavailable) || isSome(maxSurge)
      ? []
      : [invalid(`${field}.maxUnavailable`, maxUnavailable, detail)]),
    ...atMostAll(`${field}.maxUnavailable`, maxUnavailable),
  ];
}
