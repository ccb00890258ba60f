// Match conditions: expressions that a request must satisfy before a policy or webhook applies to it.

import { admissionEnvironment } from "../../../../api/cel/admission.ts";
import { compile, type Program } from "../../../../api/cel/compile.ts";
import { CelError, CelIssues } from "../../../../api/cel/values.ts";
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import type { MatchCondition } from "../../../../api/types/admissionregistration.ts";
import type { Authorizer } from "../../access.ts";
import { Activation } from "../expressions/activation.ts";
import { Decisions } from "../expressions/decisions.ts";
import type { AdmissionRequest, MatchedResource } from "./request.ts";

type MatchConditionsResult =
  | { readonly matches: true }
  | { readonly matches: false }
  /** The conditions could not be evaluated, and the failure policy is Fail. */
  | { readonly error: Error };

export interface MatchConditions {
  evaluate(
    request: AdmissionRequest,
    matched: MatchedResource,
    context: MatchConditionsContext,
  ): Promise<MatchConditionsResult>;
}

export interface MatchConditionsContext {
  readonly authorizer: Authorizer;
  readonly params?: ApiObject | undefined;
  /** The cost from which on expressions are evaluated in another thread. */
  readonly heavy?: number | undefined;
}

export interface MatchConditionsOptions {
  readonly failurePolicy: "Fail" | "Ignore";
  /** Says that the conditions may use the parameters of a policy. */
  readonly hasParams?: boolean;
}

/** The most that all conditions of one policy or webhook may cost. */
const budget = 2_500_000;

/** Compiles conditions, all of which must hold. None at all match every request. */
export function compileMatchConditions(
  conditions: readonly MatchCondition[],
  { failurePolicy, hasParams = false }: MatchConditionsOptions,
): MatchConditions {
  if (conditions.length === 0) return { evaluate: () => Promise.resolve({ matches: true }) };
  const options = { hasParams, hasAuthorizer: true, hasNamespace: false };
  const environment = admissionEnvironment(options);
  const programs = conditions.map(({ expression }) => tryCompile(environment, expression));
  const failed = (errors: readonly string[]): MatchConditionsResult =>
    failurePolicy === "Ignore" ? { matches: false } : { error: new Error(errors.join("\n")) };
  return {
    async evaluate(request, matched, { authorizer, params, heavy }) {
      const decisions = new Decisions(authorizer, request.user);
      return await decisions.during(() => {
        const activation = new Activation({ request, matched, params, decisions, budget, heavy });
        const errors: string[] = [];
        for (const [index, program] of programs.entries()) {
          const value = program instanceof CelError ? program : activation.evaluate(program);
          if (value === false) return { matches: false };
          if (value instanceof CelError) {
            const { expression } = conditions[index] as MatchCondition;
            errors.push(`expression '${expression}' resulted in error: ${value.message}`);
          }
        }
        return errors.length > 0 ? failed(errors) : { matches: true };
      });
    },
  };
}

function tryCompile(
  environment: ReturnType<typeof admissionEnvironment>,
  expression: string,
): Program | CelError {
  try {
    return compile(environment, expression);
  } catch (error) {
    if (!(error instanceof CelIssues)) throw error;
    return new CelError(`compilation failed: ${error.message}`);
  }
}
