import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import { qualifiedName } from "../../fields/names.ts";
import { canonicalAmount, nanosOf } from "../../fields/quantity.ts";
import type { ResourceQuota, ResourceQuotaSpec } from "../../types/core.ts";
import { sameMeaning } from "../equality.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

const ofPods = ["cpu", "memory", "ephemeral-storage", "pods"];
const ofObjects = [
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const prefixed = /^(?:requests|limits)\.(?:cpu|memory|storage|ephemeral-storage)$/;
const scopes = [
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
];
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

export const resourceQuota: Kind<ResourceQuota> = specAndStatus<ResourceQuota>({
  hasGeneration: false,
  default({ spec, status }) {
    for (const amounts of [spec.hard, status?.hard, status?.used]) {
      for (const [name, amount] of Object.entries(amounts ?? {})) {
        if (amounts !== undefined) amounts[name] = canonicalAmount(amount);
      }
    }
  },
  initialStatus: () => ({}),
  validate: ({ spec }) => [...hardErrors(spec.hard, "spec.hard"), ...scopeErrors(spec)],
  validateUpdate: ({ spec }, old) =>
    sameMeaning((spec.scopes ?? []).toSorted(), (old.spec.scopes ?? []).toSorted())
      ? []
      : [invalid("spec.scopes", spec.scopes, "field is immutable")],
  validateStatusUpdate: ({ status }) => [
    ...hardErrors(status?.hard, "status.hard"),
    ...hardErrors(status?.used, "status.used"),
  ],
  table: table<ResourceQuota>([
    nameColumn,
    text("Request", (object) => amountsText(object, false)),
    text("Limit", (object) => amountsText(object, true)),
    ageColumn,
  ]),
});

/** Returns whether a resource belongs to pods, so that pod scopes may narrow it. */
export function isOfPods(resource: string): boolean {
  return ofPods.includes(resource) || (prefixed.test(resource) && resource !== "requests.storage");
}

function hardErrors(hard: Record<string, string> | undefined, path: string): FieldError[] {
  return Object.entries(hard ?? {}).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    const isKnown =
      name.includes("/") ||
      ofPods.includes(name) ||
      ofObjects.includes(name) ||
      prefixed.test(name);
    return [
      ...qualifiedName(name).map((problem) => invalid(field, name, problem)),
      ...(isKnown ? [] : [invalid(field, name, "must be a standard resource for quota")]),
      ...(nanosOf(amount) < 0n
        ? [invalid(field, amount, "must be greater than or equal to 0")]
        : []),
    ];
  });
}

function scopeErrors(spec: ResourceQuotaSpec): FieldError[] {
  const listed: readonly string[] = spec.scopes ?? [];
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  const selector = "spec.scopeSelector.matchExpressions";
  const clash = (names: readonly string[], field: string) =>
    opposites
      .filter((pair) => pair.every((scope) => names.includes(scope)))
      .map(() => invalid(field, spec.scopes ?? [], "conflicting scopes"));
  const misapplied = (scope: string) =>
    scope === "VolumeAttributesClass"
      ? []
      : Object.keys(spec.hard ?? {}).filter((name) => ofObjects.includes(name) && !isOfPods(name));
  return [
    ...listed.flatMap((scope) => [
      ...(scopes.includes(scope) ? [] : [invalid("spec.scopes", listed, "unsupported scope")]),
      ...misapplied(scope).map(() =>
        invalid("spec.scopes", listed, "unsupported scope applied to resource"),
      ),
    ]),
    ...clash(listed, "spec.scopes"),
    ...expressions.flatMap(({ scopeName, operator, values = [] }) => [
      ...misapplied(scopeName).map(() =>
        invalid(selector, spec.scopeSelector, "unsupported scope applied to resource"),
      ),
      ...((operator === "In" || operator === "NotIn") && values.length === 0
        ? [
            required(
              `${selector}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ]
        : []),
      ...((operator === "Exists" || operator === "DoesNotExist") && values.length > 0
        ? [
            invalid(
              `${selector}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ]
        : []),
    ]),
    ...clash(
      expressions.map(({ scopeName }) => scopeName),
      selector,
    ),
  ];
}

function amountsText({ status }: ResourceQuota, isLimit: boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([name]) => name.startsWith("limits.") === isLimit)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${status?.used?.[name] ?? "0"}/${hard}`)
    .join(", ");
}
