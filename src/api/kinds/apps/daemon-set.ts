import type { FieldError } from "../../fields/field-error.ts";
import { invalid, notSupported, required } from "../../fields/field-errors.ts";
import type { DaemonSet, DaemonSetUpdateStrategy } from "../../types/apps.ts";
import { atMostAll, countOrShare, isSome } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, integer, labelsText, nameColumn, table, text, wide } from "../table.ts";
import { containersColumn, imagesColumn, selectorText } from "../workloads/columns.ts";
import { collisionErrors, countErrors } from "../workloads/replica-counts.ts";
import {
  defaultTemplate,
  endlessErrors,
  mismatchErrors,
  selectorErrors,
  validateTemplate,
} from "../workloads/template.ts";

const strategies = ["RollingUpdate", "OnDelete"];

export const daemonSet: Kind<DaemonSet> = specAndStatus<DaemonSet>({
  default(object) {
    const { spec } = object;
    const strategy = spec.updateStrategy;
    if (strategy?.type === "RollingUpdate") {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= 1;
      strategy.rollingUpdate.maxSurge ??= 0;
    }
    defaultTemplate((spec.template ??= {}));
  },
  initialStatus: () => ({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  }),
  validate: ({ spec }) => [
    ...(spec.selector === undefined
      ? []
      : selectorErrors(spec.selector, "spec.selector", "daemonset")),
    ...mismatchErrors(spec, "spec"),
    ...validateTemplate(spec.template, "spec.template"),
    ...endlessErrors(spec.template, "spec.template", "DaemonSet"),
    ...strategyErrors(spec.updateStrategy ?? {}, "spec.updateStrategy"),
  ],
  validateStatusUpdate: ({ status }, old) => [
    ...countErrors(status, [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ]),
    ...collisionErrors(status, old.status),
  ],
  table: table<DaemonSet>([
    nameColumn,
    integer("Desired", ({ status }) => status?.desiredNumberScheduled),
    integer("Current", ({ status }) => status?.currentNumberScheduled),
    integer("Ready", ({ status }) => status?.numberReady),
    integer("Up-to-date", ({ status }) => status?.updatedNumberScheduled),
    integer("Available", ({ status }) => status?.numberAvailable),
    text("Node Selector", ({ spec }) => labelsText(spec.template.spec?.nodeSelector)),
    ageColumn,
    wide(containersColumn(({ spec }) => spec.template)),
    wide(imagesColumn(({ spec }) => spec.template)),
    wide(text("Selector", ({ spec }) => selectorText(spec.selector))),
  ]),
});

function strategyErrors(strategy: DaemonSetUpdateStrategy, path: string): FieldError[] {
  const { type = "", rollingUpdate = {} } = strategy;
  if (!strategies.includes(type)) return [notSupported(path, strategy, strategies)];
  if (type === "OnDelete") return [];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const field = `${path}.rollingUpdate`;
  const bothDetail = "may not be set when maxUnavailable is non-zero";
  const noneDetail = "cannot be 0 when maxSurge is 0";
  const isBoth = isSome(maxUnavailable) && isSome(maxSurge);
  const isNone = !isSome(maxUnavailable) && !isSome(maxSurge);
  return [
    ...countOrShare(`${field}.maxUnavailable`, maxUnavailable),
    ...countOrShare(`${field}.maxSurge`, maxSurge),
    ...atMostAll(`${field}.maxUnavailable`, maxUnavailable),
    ...atMostAll(`${field}.maxSurge`, maxSurge),
    ...(isBoth ? [invalid(`${field}.maxSurge`, maxSurge, bothDetail)] : []),
    ...(isNone ? [required(`${field}.maxUnavailable`, noneDetail)] : []),
  ];
}
