// The policies that apply to a request: each with a binding and a parameter.
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import type { ParamKind, ParamRef } from "../../../../api/types/admissionregistration.ts";
import { StatusError } from "../../errors.ts";
import type { Catalogue } from "../../resources/catalogue.ts";
import type { ObjectReader } from "../../security/objects.ts";
import type { AdmissionRequest, MatchedResource } from "../matching/request.ts";
import type { CompiledPolicy } from "./compile.ts";
import { ConfigurationError, collectParams } from "./params.ts";
import type { Hook } from "./registry.ts";

export interface Invocation<Policy, Binding> {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly matched: MatchedResource;
  readonly params: ApiObject | undefined;
}

/** A policy that cannot be evaluated as it is. */
export interface Misconfigured<Policy, Binding> {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
  readonly message: string;
}

export interface Invocations<Policy, Binding> {
  readonly invocations: readonly Invocation<Policy, Binding>[];
  readonly wrong: readonly Misconfigured<Policy, Binding>[];
}

interface PolicySource {
  readonly source: { readonly spec: { readonly paramKind?: ParamKind } };
}

export function invocationsOf<
  Policy extends CompiledPolicy & PolicySource,
  Binding extends { readonly spec: { readonly paramRef?: ParamRef } },
>(
  hooks: readonly Hook<Policy, Binding>[],
  request: AdmissionRequest,
  context: { readonly objects: ObjectReader; readonly catalogue: Catalogue },
): Invocations<Policy, Binding> {
  const invocations: Invocation<Policy, Binding>[] = [];
  const wrong: Misconfigured<Policy, Binding>[] = [];
  for (const { policy, bindings } of hooks) {
    const misconfigured = (binding: Binding | undefined) => (why: string) => {
      const part = binding === undefined ? "policy" : "binding";
      wrong.push({ policy, binding, message: `failed to configure ${part}: ${why}` });
    };
    const matched = attempt(
      () => policy.matching.match(request, context),
      misconfigured(undefined),
    );
    if (matched === undefined) continue;
    if (policy.error !== undefined) {
      misconfigured(undefined)(policy.error);
      continue;
    }
    for (const { binding, matching } of bindings) {
      const report = misconfigured(binding);
      if (attempt(() => matching.match(request, context), report) === undefined) continue;
      const { namespace } = request;
      const { paramKind } = policy.source.spec;
      const found = attempt(
        () => collectParams(paramKind, binding.spec.paramRef, { ...context, namespace }),
        report,
      );
      for (const params of found ?? []) invocations.push({ policy, binding, matched, params });
    }
  }
  return { invocations, wrong };
}

function attempt<Result>(work: () => Result, report: (why: string) => void): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigurationError) && !(error instanceof StatusError)) throw error;
    report(error.message);
    return undefined;
  }
}
