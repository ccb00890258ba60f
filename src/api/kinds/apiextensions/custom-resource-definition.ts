import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../fields/field-errors.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  WebhookConversion,
} from "../../types/apiextensions.ts";
import { immutable } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { createdColumn, nameColumn, table } from "../table.ts";
import { webhookClientErrors } from "../webhook-client.ts";
import { groupErrors, namesErrors } from "./validate-names.ts";
import { versionErrors } from "./validate-versions.ts";

const approval = "api-approved.kubernetes.io";

export const customResourceDefinition: Kind<CustomResourceDefinition> = {
  default(object) {
    const spec = (object.spec ??= {} as CustomResourceDefinitionSpec);
    const names = (spec.names ??= { plural: "", kind: "" });
    spec.versions ??= [];
    names.singular ||= (names.kind ?? "").toLowerCase();
    names.listKind ||= names.kind ? `${names.kind}List` : "";
    spec.conversion ??= { strategy: "None" };
  },
  prepareCreate(object) {
    object.status = {
      conditions: [],
      acceptedNames: { plural: "", kind: "" },
      storedVersions: storageVersions(object.spec),
    };
  },
  prepareUpdate(object, old) {
    const stored = old.status?.storedVersions ?? [];
    const added = storageVersions(object.spec).filter((name) => !stored.includes(name));
    object.status = { ...old.status, storedVersions: [...stored, ...added.slice(0, 1)] };
  },
  prepareStatusUpdate(object, old) {
    object.spec = old.spec;
  },
  reconcile: (object, { old }) => ({
    errors: old === undefined ? ownNameErrors(object) : [],
    warnings: [],
  }),
  validate: (object) => [
    ...groupErrors(object.spec),
    ...approvalErrors(object),
    ...namesErrors(object.spec),
    ...versionErrors(object.spec),
    ...conversionErrors(object.spec),
  ],
  validateUpdate: (object, old) => [...fixedErrors(object, old), ...storedErrors(object)],
  table: table<CustomResourceDefinition>([nameColumn, createdColumn]),
};

function storageVersions({ versions }: CustomResourceDefinitionSpec): string[] {
  return versions.filter(({ storage }) => storage).map(({ name }) => name);
}

function ownNameErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  if (metadata.name === `${spec.names.plural}.${spec.group}`) return [];
  return [invalid("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group')];
}

/** Refuses the API groups of Kubernetes itself unless the definition has an approval annotation. */
function approvalErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const isProtected = /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(spec.group ?? "");
  if (!isProtected || metadata.annotations?.[approval]) return [];
  const detail = `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [required(`metadata.annotations[${approval}]`, detail)];
}

function conversionErrors(spec: CustomResourceDefinitionSpec): FieldError[] {
  const { conversion, preserveUnknownFields } = spec;
  const strategy = conversion?.strategy ?? "";
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [
    ...(strategies.includes(strategy)
      ? []
      : [notSupported("spec.conversion.strategy", strategy, strategies)]),
    ...(strategy === "Webhook" ? webhookErrors(conversion?.webhook) : []),
    ...(strategy === "None" && conversion?.webhook !== undefined
      ? [
          forbidden(
            "spec.conversion.webhook",
            "should not be set when strategy is not set to Webhook",
          ),
        ]
      : []),
    ...(preserveUnknownFields === true
      ? [invalid("spec.preserveUnknownFields", true, detail)]
      : []),
  ];
}

const strategies = ["None", "Webhook"];

function webhookErrors(webhook: WebhookConversion | undefined): FieldError[] {
  const path = "spec.conversion.webhook";
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {};
  const versions = `${path}.conversionReviewVersions`;
  return [
    ...(clientConfig === undefined
      ? [required(`${path}.clientConfig`, "required when strategy is set to Webhook")]
      : webhookClientErrors(clientConfig, `${path}.clientConfig`)),
    ...(conversionReviewVersions.length === 0
      ? [required(versions, "must specify one of v1, v1beta1")]
      : conversionReviewVersions.some((each) => each === "v1" || each === "v1beta1")
        ? []
        : [
            invalid(versions, conversionReviewVersions, "must include at least one of v1, v1beta1"),
          ]),
  ];
}

/** Refuses changes of the fields that objects are stored and found by, once objects can exist. */
function fixedErrors(
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  const isEstablished = (old.status?.conditions ?? []).some(
    ({ type, status }) => type === "Established" && status === "True",
  );
  return [
    ...immutable("spec.group", spec.group, old.spec.group),
    ...immutable("spec.names.plural", spec.names.plural, old.spec.names.plural),
    ...(isEstablished ? immutable("spec.scope", spec.scope, old.spec.scope) : []),
    ...(isEstablished ? immutable("spec.names.kind", spec.names.kind, old.spec.names.kind) : []),
  ];
}

/** Refuses to remove a version that objects may still be stored in. */
function storedErrors({ spec, status }: CustomResourceDefinition): FieldError[] {
  const names = spec.versions.map(({ name }) => name);
  return (status?.storedVersions ?? []).flatMap((stored, index) => {
    if (names.includes(stored)) return [];
    const detail = `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${stored} and removes ${stored} from status.storedVersions`;
    return [invalid(`status.storedVersions[${index}]`, stored, detail)];
  });
}
