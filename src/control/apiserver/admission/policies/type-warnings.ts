// Checks the expressions of a validating policy against the types of the resources that it is about. What
// does not fit is a warning in its status: the policy may be older than the resource.

import { admissionEnvironment, variablesType } from "../../../../api/cel/admission.ts";
import { compile } from "../../../../api/cel/compile.ts";
import { type Environment, extend } from "../../../../api/cel/environment.ts";
import type { Type } from "../../../../api/cel/types.ts";
import { CelIssues } from "../../../../api/cel/values.ts";
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicy,
} from "../../../../api/types/admissionregistration.ts";
import type { Catalogue } from "../../resources/catalogue.ts";
import type { ServedResource } from "../../resources/served.ts";
import { typeOfSchema } from "./object-types.ts";

/** The most resources that a policy is checked with. */
const mostResources = 10;

export function typeWarnings(
  policy: ValidatingAdmissionPolicy,
  catalogue: Catalogue,
): ExpressionWarning[] {
  const { validations = [], variables = [], paramKind } = policy.spec;
  const params =
    paramKind &&
    catalogue.resources.find(
      (each) => each.apiVersion === paramKind.apiVersion && each.kind === paramKind.kind,
    );
  const places = resourcesOf(policy, catalogue).map((resource) => {
    const environment = admissionEnvironment({
      hasParams: paramKind !== undefined,
      hasAuthorizer: true,
      hasNamespace: true,
      object: typeOfSchema(resource.schema),
      ...(params === undefined ? {} : { params: typeOfSchema(params.schema) }),
    });
    return { resource, environment: withVariables(environment, variables) };
  });
  const check = (expression: string, fieldRef: string): ExpressionWarning[] => {
    const found = places.flatMap(({ resource, environment }) => {
      const issue = issueOf(environment, expression);
      return issue === undefined ? [] : [`${kindText(resource)}: ${issue}`];
    });
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join("\n") }];
  };
  return validations.flatMap(({ expression, messageExpression }, index) => [
    ...check(expression, `spec.validations[${index}].expression`),
    ...(messageExpression
      ? check(messageExpression, `spec.validations[${index}].messageExpression`)
      : []),
  ]);
}

function withVariables(
  environment: Environment,
  variables: readonly { readonly name: string; readonly expression: string }[],
): Environment {
  const types = new Map<string, Type>();
  const extended = extend(environment, { variables: variablesType(types) });
  for (const { name, expression } of variables) {
    try {
      types.set(name, compile(extended, expression).type);
    } catch (error) {
      // What uses the variable is warned about.
      if (!(error instanceof CelIssues)) throw error;
    }
  }
  return extended;
}

function issueOf(environment: Environment, expression: string): string | undefined {
  try {
    compile(environment, expression);
    return undefined;
  } catch (error) {
    if (error instanceof CelIssues) return error.message;
    throw error;
  }
}

function kindText({ group, version, kind }: ServedResource): string {
  return `${group === "" ? "" : `${group}/`}${version}, Kind=${kind}`;
}

/** Returns the resources that the rules name; wildcards are left out. */
function resourcesOf({ spec }: ValidatingAdmissionPolicy, catalogue: Catalogue): ServedResource[] {
  const found = new Set<ServedResource>();
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    const { apiGroups = [], apiVersions = [], resources = [] } = rule;
    if ([...apiGroups, ...apiVersions, ...resources].some((each) => each.includes("*"))) continue;
    for (const group of apiGroups) {
      for (const version of apiVersions) {
        for (const plural of resources) {
          const resource = catalogue.find(group, version, plural);
          if (resource !== undefined && found.size < mostResources) found.add(resource);
        }
      }
    }
  }
  return [...found];
}
