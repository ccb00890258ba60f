// Match conditions: expressions that a request must satisfy before a policy or webhook applies to it.
import type { MatchCondition } from "../../../../api/types/admissionregistration.ts";
import type { Authorizer } from "../../access.ts";
import type { AdmissionRequest, MatchedResource } from "./request.ts";

export type MatchConditionsResult =
  | { readonly matches: true }
  | { readonly matches: false }
  /** The conditions could not be evaluated, and the failure policy is Fail. */
  | { readonly error: Error };

export interface MatchConditions {
  evaluate(
    request: AdmissionRequest,
    matched: MatchedResource,
    context: { readonly authorizer: Authorizer },
  ): Promise<MatchConditionsResult>;
}

export interface MatchConditionsOptions {
  readonly failurePolicy: "Fail" | "Ignore";
}

/** Compiles conditions, all of which must hold. None at all match every request. */
export function compileMatchConditions(
  conditions: readonly MatchCondition[],
  _options: MatchConditionsOptions,
): MatchConditions {
  return {
    evaluate: () =>
      conditions.length === 0
        ? Promise.resolve({ matches: true })
        : Promise.reject(
            new Error("Cannot evaluate match conditions: expressions are not built yet"),
          ),
  };
}
