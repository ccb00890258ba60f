// Evaluates validating policies: a request that fails a validation is refused, warned about or audited.
import { CelError, type Value } from "../../../../api/cel/values.ts";
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import type { ValidatingAdmissionPolicyBinding } from "../../../../api/types/admissionregistration.ts";
import type { Authorizer } from "../../access.ts";
import { forbidden, type Reason, StatusError } from "../../errors.ts";
import type { Catalogue } from "../../resources/catalogue.ts";
import type { ObjectReader } from "../../security/objects.ts";
import { Activation } from "../expressions/activation.ts";
import { Decisions } from "../expressions/decisions.ts";
import type { AdmissionRequest } from "../matching/request.ts";
import type { CompiledValidation, ValidatingPolicy } from "./compile.ts";
import { type Invocation, invocationsOf } from "./invocations.ts";
import type { ValidatingHook } from "./registry.ts";

/** The most that all expressions of a policy may cost, for one binding and parameter. */
export const policyBudget = 10_000_000;

export interface PolicyContext {
  readonly objects: ObjectReader;
  readonly catalogue: Catalogue;
  readonly authorizer: Authorizer;
  readonly heavy: number | undefined;
}

type Binding = ValidatingAdmissionPolicyBinding;

interface Denial {
  readonly policy: ValidatingPolicy;
  readonly binding: Binding | undefined;
  readonly message: string;
  readonly reason: string | undefined;
  /** The index of the validation; absent when it is not one that failed. */
  readonly index?: number;
}

/** Throws a Status error when a policy refuses the request. */
export async function applyValidating(
  hooks: readonly ValidatingHook[],
  request: AdmissionRequest,
  context: PolicyContext,
): Promise<void> {
  const { invocations, wrong } = invocationsOf(hooks, request, context);
  const denials: Denial[] = wrong
    .filter(({ policy }) => policy.failurePolicy === "Fail")
    .map((each) => ({ ...each, reason: undefined }));
  const remarks = new Map<string, string[]>();
  for (const invocation of invocations) {
    const { denied, annotations } = await evaluate(invocation, request, context);
    for (const denial of denied) act(denial, request, denials);
    for (const [key, value] of annotations) {
      const name = `${invocation.policy.name}/${key}`;
      const known = remarks.get(name) ?? [];
      if (!known.includes(value)) remarks.set(name, [...known, value]);
    }
  }
  for (const [name, values] of remarks) request.annotations[name] = values.join(", ");
  const [first] = denials;
  if (first !== undefined) throw refusal(first, request);
}

/** Does what the binding wants with a failed validation. */
function act(denial: Denial, request: AdmissionRequest, denials: Denial[]): void {
  const { policy, binding, message, index = 0 } = denial;
  const actions = binding?.spec.validationActions ?? ["Deny"];
  if (actions.includes("Deny")) denials.push(denial);
  const name = binding?.metadata.name ?? "";
  if (actions.includes("Warn")) {
    request.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${name}': ${message}`,
    );
  }
  if (actions.includes("Audit")) {
    const failure = { message, policy: policy.name, binding: name, expressionIndex: index };
    const key = "validation.policy.admission.k8s.io/validation_failure";
    request.annotations[key] = JSON.stringify([{ ...failure, validationActions: actions }]);
  }
}

interface Verdict {
  readonly denied: readonly Denial[];
  readonly annotations: readonly (readonly [string, string])[];
}

async function evaluate(
  invocation: Invocation<ValidatingPolicy, Binding>,
  request: AdmissionRequest,
  context: PolicyContext,
): Promise<Verdict> {
  const { policy, binding, matched, params } = invocation;
  const { authorizer, heavy } = context;
  const failed = (message: string): Denial => ({ policy, binding, message, reason: undefined });
  const matching = await policy.conditions.evaluate(request, matched, {
    authorizer,
    params,
    heavy,
  });
  if ("error" in matching) return { denied: [failed(matching.error.message)], annotations: [] };
  if (!matching.matches) return { denied: [], annotations: [] };
  const namespace = namespaceOf(request, context.objects);
  const decisions = new Decisions(authorizer, request.user);
  const { variables, failurePolicy } = policy;
  return await decisions.during(() => {
    const common = { request, matched, params, namespace, decisions, variables, heavy };
    const activation = new Activation({ ...common, budget: policyBudget });
    const denied = policy.validations.flatMap((each, index): Denial[] => {
      const outcome = judge(each, activation);
      if (outcome === undefined) return [];
      if (outcome.isFailure && failurePolicy === "Ignore") return [];
      const { message, reason } = outcome;
      return [{ policy, binding, message, reason, index }];
    });
    const audit = new Activation({ ...common, budget: policyBudget });
    const annotations: (readonly [string, string])[] = [];
    for (const { annotation, value: program } of policy.annotations) {
      const value = program === undefined ? null : audit.evaluate(program);
      if (value instanceof CelError) {
        if (failurePolicy === "Fail")
          denied.push(failed(described(annotation.valueExpression, value)));
      } else if (typeof value === "string" && value.trim() !== "") {
        annotations.push([annotation.key, value.trim().slice(0, longestAnnotation)]);
      }
    }
    return { denied, annotations };
  });
}

const longestAnnotation = 10 * 1024;
const longestMessage = 5 * 1024;

/** Returns why a validation fails; `undefined` when it holds. */
function judge(
  { validation, expression, message }: CompiledValidation,
  activation: Activation,
): { message: string; reason: string | undefined; isFailure: boolean } | undefined {
  if (expression === undefined) return undefined;
  const value = activation.evaluate(expression);
  if (value instanceof CelError) {
    const text = described(validation.expression, value);
    return { message: text, reason: undefined, isFailure: true };
  }
  if (value === true) return undefined;
  const said = message === undefined ? undefined : usable(activation.evaluate(message));
  const text =
    said ?? (validation.message?.trim() || `failed expression: ${validation.expression.trim()}`);
  return { message: text, reason: validation.reason, isFailure: false };
}

function usable(value: Value): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text.length > longestMessage || text.includes("\n") ? undefined : text;
}

export function described(expression: string, { message }: CelError): string {
  return `expression '${expression}' resulted in error: ${message}`;
}

/** Returns the namespace of a request; cluster-scoped objects have none, a Namespace neither. */
export function namespaceOf(
  { resource, namespace }: AdmissionRequest,
  objects: Pick<ObjectReader, "get">,
): ApiObject | undefined {
  if (namespace === "" || !resource.namespaced) return undefined;
  return objects.get("namespaces", "", namespace);
}

const reasons: ReadonlySet<string> = new Set([
  "Unauthorized",
  "Forbidden",
  "Invalid",
  "RequestEntityTooLarge",
]);

function refusal({ policy, binding, message, reason }: Denial, request: AdmissionRequest) {
  const bound = binding === undefined ? "" : ` with binding '${binding.metadata.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.name}'${bound} denied request: ${message}`;
  const { groupResource } = request.resource;
  const refused = forbidden(groupResource, request.name, text, [{ message: text }]);
  const given = (reason !== undefined && reasons.has(reason) ? reason : "Invalid") as Reason;
  return new StatusError(given, refused.message, { details: refused.details ?? {} });
}
