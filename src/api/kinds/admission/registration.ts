// Admission webhooks and policies. Their callers decide which requests they apply to.

import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, invalid, required } from "../../fields/field-errors.ts";
import { dnsSubdomain } from "../../fields/names.ts";
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "../../types/admissionregistration.ts";
import { each, isRepeated } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, integer, nameColumn, table, text } from "../table.ts";
import { webhookClientErrors } from "../webhook-client.ts";
import { conditionErrors, mutatingErrors, validatingErrors } from "./expressions.ts";

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
type Webhook = NonNullable<Configuration["webhooks"]>[number];
type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

export const webhookConfiguration: Kind<Configuration> = {
  hasGeneration: true,
  validate({ webhooks }) {
    const names = new Set<string>();
    return each<Webhook>(webhooks, "webhooks", (hook, path) => [
      ...nameErrors(hook.name, `${path}.name`),
      ...(isRepeated(names, hook.name) ? [duplicate(`${path}.name`, hook.name)] : []),
      ...webhookClientErrors(hook.clientConfig, `${path}.clientConfig`),
      ...timeoutErrors(hook.timeoutSeconds, `${path}.timeoutSeconds`),
      ...conditionErrors(hook.matchConditions, { path: `${path}.matchConditions` }),
    ]);
  },
  table: table<Configuration>([
    nameColumn,
    integer("Webhooks", ({ webhooks }) => (webhooks ?? []).length),
    ageColumn,
  ]),
};

export const validatingAdmissionPolicy: Kind<ValidatingAdmissionPolicy> = {
  hasGeneration: true,
  validate: ({ spec }) =>
    (spec.validations ?? []).length + (spec.auditAnnotations ?? []).length > 0
      ? [...paramErrors(spec.paramKind), ...constraintErrors(spec), ...validatingErrors(spec)]
      : [
          required(
            "spec.validations",
            "validations or auditAnnotations must be non-empty; at least one must be specified",
          ),
        ],
  table: table<ValidatingAdmissionPolicy>([
    nameColumn,
    integer("Validations", ({ spec }) => (spec.validations ?? []).length),
    text("ParamKind", ({ spec }) => kindText(spec.paramKind)),
    ageColumn,
  ]),
};

export const mutatingAdmissionPolicy: Kind<MutatingAdmissionPolicy> = {
  hasGeneration: true,
  validate: ({ spec }) =>
    (spec.mutations ?? []).length > 0
      ? [...paramErrors(spec.paramKind), ...constraintErrors(spec), ...mutatingErrors(spec)]
      : [required("spec.mutations", "mutations must contain at least one item")],
  table: table<MutatingAdmissionPolicy>([
    nameColumn,
    integer("Mutations", ({ spec }) => (spec.mutations ?? []).length),
    text("ParamKind", ({ spec }) => kindText(spec.paramKind)),
    ageColumn,
  ]),
};

export const admissionPolicyBinding: Kind<Binding> = {
  hasGeneration: true,
  validate: ({ spec }) => referenceErrors(spec.paramRef),
  table: table<Binding>([
    nameColumn,
    text("PolicyName", ({ spec }) => spec.policyName),
    text("ParamRef", ({ spec }) => referenceText(spec.paramRef)),
    ageColumn,
  ]),
};

function constraintErrors({
  matchConstraints,
}: {
  readonly matchConstraints?: { readonly resourceRules?: readonly unknown[] };
}): FieldError[] {
  if (matchConstraints === undefined) return [required("spec.matchConstraints")];
  if ((matchConstraints.resourceRules ?? []).length > 0) return [];
  return [required("spec.matchConstraints.resourceRules")];
}

function paramErrors(kind: ParamKind | undefined): FieldError[] {
  if (kind === undefined) return [];
  const at = "spec.paramKind";
  return [
    ...(kind.apiVersion ? [] : [required(`${at}.apiVersion`)]),
    ...(kind.kind ? [] : [required(`${at}.kind`)]),
  ];
}

function referenceErrors(reference: ParamRef | undefined): FieldError[] {
  if (reference === undefined) return [];
  const at = "spec.paramRef";
  const { name, selector, parameterNotFoundAction } = reference;
  const both = "name and selector are mutually exclusive";
  return [
    ...(!name && selector === undefined
      ? [required(at, "one of name or selector must be specified")]
      : []),
    ...(name && selector !== undefined
      ? [
          { type: "FieldValueForbidden", field: `${at}.name`, detail: both } as const,
          { type: "FieldValueForbidden", field: `${at}.selector`, detail: both } as const,
        ]
      : []),
    ...(parameterNotFoundAction === undefined
      ? [required(`${at}.parameterNotFoundAction`, "required to be set")]
      : []),
  ];
}

/** Checks the name of a webhook, which has at least three parts. */
function nameErrors(name: string, field: string): FieldError[] {
  if (!name) return [required(field)];
  const problems = dnsSubdomain(name);
  if (problems.length > 0) return problems.map((problem) => invalid(field, name, problem));
  const detail = "should be a domain with at least three segments separated by dots";
  return name.split(".").length < 3 ? [invalid(field, name, detail)] : [];
}

function timeoutErrors(seconds: number | undefined, field: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= 30)) return [];
  return [invalid(field, seconds, "the timeout value must be between 1 and 30 seconds")];
}

function kindText(kind: ParamKind | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}

function referenceText(reference: ParamRef | undefined): string {
  if (!reference?.name) return "<unset>";
  return `${reference.namespace || "*"}/${reference.name}`;
}
