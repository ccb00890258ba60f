// Evaluates mutating policies: apply configurations are merged into the object, JSON patches applied to it.
import { mergeConfiguration } from "../../../../api/apply/merge-configuration.ts";
import { toJson } from "../../../../api/cel/json-values.ts";
import { CelError, type Value } from "../../../../api/cel/values.ts";
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import { isPatchError, PatchTestError } from "../../../../api/patch/error.ts";
import { applyJsonPatch } from "../../../../api/patch/json-patch.ts";
import type {
  MutatingAdmissionPolicyBinding,
  Mutation,
} from "../../../../api/types/admissionregistration.ts";
import { isObject, type JsonObject, sameJson } from "../../../../base/json/value.ts";
import { forbidden, StatusError } from "../../errors.ts";
import type { Mutated, MutationTurn } from "../dynamic.ts";
import { Activation } from "../expressions/activation.ts";
import { Decisions } from "../expressions/decisions.ts";
import {
  type AdmissionRequest,
  type MatchedResource,
  shown,
  unshown,
} from "../matching/request.ts";
import { expressionOf, type MutatingPolicy } from "./compile.ts";
import { type Invocation, invocationsOf } from "./invocations.ts";
import type { MutatingHook } from "./registry.ts";
import { described, namespaceOf, type PolicyContext, policyBudget } from "./validate.ts";

type Binding = MutatingAdmissionPolicyBinding;
type Invoked = Invocation<MutatingPolicy, Binding>;

/** A mutation failed; the failure policy decides. */
class MutationError extends Error {}

/** Returns the mutated object; throws a Status error when a policy fails that must not. */
export async function applyMutating(
  hooks: readonly MutatingHook[],
  request: AdmissionRequest,
  context: PolicyContext & { readonly turn: MutationTurn },
): Promise<Mutated> {
  const { turn } = context;
  const { invocations, wrong } = invocationsOf(hooks, request, context);
  const failures = wrong.filter(({ policy }) => policy.failurePolicy === "Fail");
  let { object } = request;
  let reinvoke = false;
  for (const invocation of invocations) {
    const key = keyOf(invocation);
    const seen = turn.ran.get(key);
    const isDue = !turn.isReinvocation || (invocation.policy.isReinvoked && seen !== object);
    if (!isDue || object === undefined) continue;
    const before: ApiObject = object;
    try {
      object = await mutateOnce(invocation, { ...request, object }, context);
    } catch (error) {
      if (!(error instanceof MutationError)) throw error;
      const { policy, binding } = invocation;
      if (policy.failurePolicy === "Fail")
        failures.push({ policy, binding, message: error.message });
    }
    if (!sameJson(before, object)) reinvoke = true;
    turn.ran.set(key, object);
  }
  if (failures.length > 0) throw refusal(failures, request);
  return { object, reinvoke };
}

function keyOf({ policy, binding, params }: Invoked): string {
  const { namespace = "", name = "" } = params?.metadata ?? {};
  return `policy ${policy.name} ${binding.metadata.name} ${namespace}/${name}`;
}

async function mutateOnce(
  invocation: Invoked,
  request: AdmissionRequest,
  context: PolicyContext,
): Promise<ApiObject> {
  const { policy, matched, params } = invocation;
  const { authorizer, heavy } = context;
  let object = request.object as ApiObject;
  const matching = await policy.conditions.evaluate(request, matched, {
    authorizer,
    params,
    heavy,
  });
  if ("error" in matching) throw new MutationError(matching.error.message);
  if (!matching.matches) return object;
  const namespace = namespaceOf(request, context.objects);
  const { variables } = policy;
  for (const { mutation, expression } of policy.mutations) {
    if (expression === undefined) continue;
    const now = { ...request, object };
    const decisions = new Decisions(authorizer, request.user);
    const value = await decisions.during(() => {
      const budget = policyBudget;
      const common = { request: now, matched, params, namespace, decisions, variables };
      return new Activation({ ...common, budget, heavy }).evaluate(expression);
    });
    if (value instanceof CelError)
      throw new MutationError(described(expressionOf(mutation), value));
    object = patched(mutation, value, { request: now, matched });
  }
  return object;
}

function patched(
  { patchType }: Mutation,
  value: Value,
  { request, matched }: { request: AdmissionRequest; matched: MatchedResource },
): ApiObject {
  const visible = shown(matched, request, request.object) as JsonObject;
  const change = toJson(value);
  const result =
    patchType === "JSONPatch" ? jsonPatched(visible, change) : merged(visible, change, matched);
  return unshown(matched, request, result);
}

function jsonPatched(object: JsonObject, patch: unknown): JsonObject {
  try {
    const result = applyJsonPatch(object, patch);
    if (!isObject(result)) throw new MutationError("JSON Patch: the result is no object");
    return result;
  } catch (error) {
    if (!isPatchError(error)) throw error;
    // A patch whose test fails is not applied at all, which is no failure.
    if (error instanceof PatchTestError) return object;
    throw new MutationError(`JSON Patch: ${error.message}`, { cause: error });
  }
}

function merged(object: JsonObject, change: unknown, { resource }: MatchedResource): JsonObject {
  if (!isObject(change)) throw new MutationError("invalid return type of an apply configuration");
  const result = mergeConfiguration(resource.schema, object, change);
  if ("atomic" in result) {
    const places = result.atomic.join(", ");
    throw new MutationError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${places}`,
    );
  }
  return result.merged;
}

function refusal(
  failures: readonly { policy: MutatingPolicy; binding: Binding | undefined; message: string }[],
  { resource, name }: AdmissionRequest,
) {
  const texts = failures.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
      : `policy '${policy.name}' with binding '${binding.metadata.name}' denied request: ${message}`,
  );
  const causes = texts.map((message) => ({ message }));
  const { details = {} } = forbidden(resource.groupResource, name, "", causes);
  return new StatusError("Invalid", texts[0] ?? "", { details });
}
