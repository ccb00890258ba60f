// Checks the expressions of admission policies and webhooks when they are written: their syntax, their types
// as far as they are known, and what they return.
import {
  type AdmissionVariables,
  admissionEnvironment,
  variablesType,
} from "../../cel/admission.ts";
import { compile } from "../../cel/compile.ts";
import { type Environment, extend } from "../../cel/environment.ts";
import { jsonPatchesType, objectType, withMutations } from "../../cel/mutation.ts";
import { boolType, nullType, sameType, stringType, type Type, typeText } from "../../cel/types.ts";
import { CelIssues } from "../../cel/values.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, invalid, notSupported, required } from "../../fields/field-errors.ts";
import { qualifiedName } from "../../fields/names.ts";
import type {
  AuditAnnotation,
  MatchCondition,
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from "../../types/admissionregistration.ts";
import { each, isRepeated } from "../checks.ts";

const most = { validations: 64, matchConditions: 64, annotations: 20, message: 5 * 1024 };
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"];

export function validatingErrors(spec: ValidatingAdmissionPolicySpec): FieldError[] {
  const scope = new Scope(spec, (environment) => environment);
  const keys = new Set<string>();
  return [
    ...scope.errors,
    ...conditionErrors(spec.matchConditions, { hasParams: spec.paramKind !== undefined }),
    ...tooMany("spec.validations", spec.validations, most.validations),
    ...each<Validation>(spec.validations, "spec.validations", (one, at) =>
      validation(scope, one, at),
    ),
    ...tooMany("spec.auditAnnotations", spec.auditAnnotations, most.annotations),
    ...each(
      spec.auditAnnotations,
      "spec.auditAnnotations",
      ({ key = "", valueExpression = "" }: Partial<AuditAnnotation>, at) => [
        ...qualifiedName(`x/${key}`).map((problem) => invalid(`${at}.key`, key, problem)),
        ...(isRepeated(keys, key) ? [duplicate(`${at}.key`, key)] : []),
        ...(valueExpression.trim() === ""
          ? [required(`${at}.valueExpression`, "valueExpression is required")]
          : scope.check(valueExpression, `${at}.valueExpression`, [stringType, nullType])),
      ],
    ),
  ];
}

export function mutatingErrors(spec: MutatingAdmissionPolicySpec): FieldError[] {
  const scope = new Scope(spec, withMutations);
  return [
    ...scope.errors,
    ...conditionErrors(spec.matchConditions, { hasParams: spec.paramKind !== undefined }),
    ...each(spec.mutations, "spec.mutations", ({ patchType, ...patch }, at) => {
      const isPatch = patchType === "JSONPatch";
      const field = isPatch ? "jsonPatch" : "applyConfiguration";
      const expression = patch[field]?.expression ?? "";
      const path = `${at}.${field}.expression`;
      if (expression.trim() === "") return [required(path, "expression is required")];
      return scope.check(expression, path, [isPatch ? jsonPatchesType : objectType]);
    }),
  ];
}

/** Returns the errors of match conditions; those of webhooks stand elsewhere. */
export function conditionErrors(
  conditions: readonly MatchCondition[] | undefined,
  { hasParams = false, path = "spec.matchConditions" }: { hasParams?: boolean; path?: string } = {},
): FieldError[] {
  const environment = admissionEnvironment({ hasParams, hasAuthorizer: true, hasNamespace: false });
  const names = new Set<string>();
  return [
    ...tooMany(path, conditions, most.matchConditions),
    ...each(conditions, path, ({ name = "", expression = "" }: Partial<MatchCondition>, at) => [
      ...(isRepeated(names, name) ? [duplicate(`${at}.name`, name)] : []),
      ...(expression.trim() === ""
        ? [required(`${at}.expression`)]
        : expressionErrors(environment, expression, { at: `${at}.expression`, types: [boolType] })),
    ]),
  ];
}

function validation(scope: Scope, rule: Partial<Validation>, at: string): FieldError[] {
  const { expression = "", message = "", messageExpression = "", reason } = rule;
  const errors: FieldError[] = [];
  const text = expression.trim();
  if (text === "") errors.push(required(`${at}.expression`, "expression is not specified"));
  else errors.push(...scope.check(expression, `${at}.expression`, [boolType]));
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(
      invalid(`${at}.messageExpression`, messageExpression, "must be non-empty if specified"),
    );
  } else if (messageExpression !== "") {
    errors.push(
      ...scope.check(messageExpression, `${at}.messageExpression`, [stringType], "plain"),
    );
  }
  const breaks = /[\n\r]/;
  if (message !== "" && message.trim() === "") {
    errors.push(invalid(`${at}.message`, message, "message must be non-empty if specified"));
  } else if (breaks.test(message.trim())) {
    errors.push(invalid(`${at}.message`, message, "message must not contain line breaks"));
  } else if (breaks.test(text) && message.trim() === "") {
    const detail = "message must be specified if expression contains line breaks";
    errors.push(required(`${at}.message`, detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${at}.reason`, reason, reasons));
  }
  return errors;
}

interface PolicySpec {
  readonly paramKind?: object;
  readonly variables?: readonly Variable[];
}

/** The environment of a policy's expressions, with the variables that it defines. */
class Scope {
  readonly errors: FieldError[] = [];
  readonly #plain: Environment;
  readonly #full: Environment;

  constructor(spec: PolicySpec, adapt: (environment: Environment) => Environment) {
    const types = new Map<string, Type>();
    const make = (more: Partial<AdmissionVariables>) =>
      extend(
        adapt(
          admissionEnvironment({
            hasParams: spec.paramKind !== undefined,
            hasNamespace: true,
            hasAuthorizer: false,
            ...more,
          }),
        ),
        { variables: variablesType(types) },
      );
    this.#plain = make({});
    this.#full = make({ hasAuthorizer: true });
    const names = new Set<string>();
    for (const [index, { name = "", expression = "" }] of (spec.variables ?? []).entries()) {
      const at = `spec.variables[${index}]`;
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        this.errors.push(
          name === ""
            ? required(`${at}.name`, "name is not specified")
            : invalid(`${at}.name`, name, "name is not a valid CEL identifier"),
        );
      }
      if (isRepeated(names, name)) this.errors.push(duplicate(`${at}.name`, name));
      if (expression.trim() === "") {
        this.errors.push(required(`${at}.expression`, "expression is not specified"));
        continue;
      }
      const issue = typeOrIssue(this.#full, expression);
      if (typeof issue === "string") {
        this.errors.push(invalid(`${at}.expression`, expression, `compilation failed: ${issue}`));
      } else types.set(name, issue);
    }
  }

  check(
    expression: string,
    at: string,
    types: readonly Type[],
    access: "full" | "plain" = "full",
  ): FieldError[] {
    const environment = access === "plain" ? this.#plain : this.#full;
    return expressionErrors(environment, expression, { at, types });
  }
}

function expressionErrors(
  environment: Environment,
  expression: string,
  { at, types }: { at: string; types: readonly Type[] },
): FieldError[] {
  const type = typeOrIssue(environment, expression);
  if (typeof type === "string") return [invalid(at, expression, `compilation failed: ${type}`)];
  if (type.kind === "dyn" || types.some((one) => sameType(one, type))) return [];
  const wanted = types.map(typeText).join(" or ");
  return [invalid(at, expression, `must evaluate to ${wanted}`)];
}

function typeOrIssue(environment: Environment, expression: string): Type | string {
  try {
    return compile(environment, expression).type;
  } catch (error) {
    if (error instanceof CelIssues) return error.message;
    throw error;
  }
}

function tooMany(field: string, list: readonly unknown[] | undefined, limit: number): FieldError[] {
  const count = list?.length ?? 0;
  if (count <= limit) return [];
  return [
    { type: "FieldValueTooMany", field, value: count, detail: `must have at most ${limit} items` },
  ];
}
