// Compiles policies. A policy that does not compile is kept with its error: its failure policy decides then.

import {
  type AdmissionVariables,
  admissionEnvironment,
  variablesType,
} from "../../../../api/cel/admission.ts";
import { compile, type Program } from "../../../../api/cel/compile.ts";
import { type Environment, extend } from "../../../../api/cel/environment.ts";
import { jsonPatchesType, objectType, withMutations } from "../../../../api/cel/mutation.ts";
import { sameType, type Type, typeText } from "../../../../api/cel/types.ts";
import { CelError, CelIssues } from "../../../../api/cel/values.ts";
import type {
  AuditAnnotation,
  MutatingAdmissionPolicy,
  Mutation,
  ValidatingAdmissionPolicy,
  Validation,
  Variable,
} from "../../../../api/types/admissionregistration.ts";
import {
  compileMatchConditions,
  compileMatching,
  type MatchConditions,
  type Matching,
} from "../matching/matching.ts";

export interface CompiledPolicy {
  readonly name: string;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly matching: Matching;
  readonly conditions: MatchConditions;
  readonly variables: ReadonlyMap<string, Program>;
  /** The reason why an expression cannot be compiled. */
  readonly error: string | undefined;
}

export interface CompiledValidation {
  readonly validation: Validation;
  readonly expression: Program | undefined;
  readonly message: Program | undefined;
}

export interface ValidatingPolicy extends CompiledPolicy {
  readonly source: ValidatingAdmissionPolicy;
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly {
    readonly annotation: AuditAnnotation;
    readonly value: Program | undefined;
  }[];
}

export interface MutatingPolicy extends CompiledPolicy {
  readonly source: MutatingAdmissionPolicy;
  readonly mutations: readonly {
    readonly mutation: Mutation;
    readonly expression: Program | undefined;
  }[];
  readonly isReinvoked: boolean;
}

export function compileValidating(policy: ValidatingAdmissionPolicy): ValidatingPolicy {
  const { validations = [], auditAnnotations = [] } = policy.spec;
  const scope = new Scope(policy.spec, (environment) => environment);
  const compiled = validations.map((validation) => ({
    validation,
    expression: scope.compile(validation.expression, "authorizer"),
    message: validation.messageExpression ? scope.compile(validation.messageExpression) : undefined,
  }));
  const annotations = auditAnnotations.map((annotation) => ({
    annotation,
    value: scope.compile(annotation.valueExpression),
  }));
  return { source: policy, validations: compiled, annotations, ...common(policy, scope) };
}

export function compileMutating(policy: MutatingAdmissionPolicy): MutatingPolicy {
  const { mutations = [], reinvocationPolicy } = policy.spec;
  const scope = new Scope(policy.spec, withMutations);
  const compiled = mutations.map((mutation) => ({
    mutation,
    expression: scope.compile(expressionOf(mutation), "authorizer", expectedType(mutation)),
  }));
  const isReinvoked = reinvocationPolicy === "IfNeeded";
  return { source: policy, mutations: compiled, isReinvoked, ...common(policy, scope) };
}

export function expressionOf({ applyConfiguration, jsonPatch }: Mutation): string {
  return applyConfiguration?.expression ?? jsonPatch?.expression ?? "";
}

export function expectedType({ patchType }: Mutation): Type {
  return patchType === "JSONPatch" ? jsonPatchesType : objectType;
}

interface PolicySpec {
  readonly paramKind?: object;
  readonly variables?: readonly Variable[];
}

/** The variables that a policy defines, and its expressions. */
class Scope {
  readonly variables = new Map<string, Program>();
  error: string | undefined;
  readonly #plain: Environment;
  readonly #full: Environment;

  constructor(spec: PolicySpec, adapt: (environment: Environment) => Environment) {
    const options: AdmissionVariables = {
      hasParams: spec.paramKind !== undefined,
      hasAuthorizer: false,
      hasNamespace: true,
    };
    const plain = adapt(admissionEnvironment(options));
    const full = adapt(admissionEnvironment({ ...options, hasAuthorizer: true }));
    const types = new Map<string, Type>();
    const known = { variables: variablesType(types) };
    this.#plain = extend(plain, known);
    this.#full = extend(full, known);
    for (const { name, expression } of spec.variables ?? []) {
      const program = this.compile(expression, "authorizer");
      if (program === undefined) continue;
      this.variables.set(name, program);
      // A variable is known to those that are defined after it.
      types.set(name, program.type);
    }
  }

  compile(expression: string, access?: "authorizer", expected?: Type): Program | undefined {
    const environment = access === undefined ? this.#plain : this.#full;
    const program = tryCompile(environment, expression);
    if (program instanceof CelError) {
      this.error ??= program.message;
      return undefined;
    }
    if (expected !== undefined && !sameType(program.type, expected)) {
      this.error ??= `must evaluate to ${typeText(expected)} but got ${typeText(program.type)}`;
      return undefined;
    }
    return program;
  }
}

function common(
  { metadata, spec }: ValidatingAdmissionPolicy | MutatingAdmissionPolicy,
  { variables, error }: Scope,
): CompiledPolicy {
  const { failurePolicy = "Fail", matchConditions = [], paramKind } = spec;
  const hasParams = paramKind !== undefined;
  return {
    name: metadata.name,
    failurePolicy,
    matching: compileMatching(spec.matchConstraints ?? {}),
    conditions: compileMatchConditions(matchConditions, { failurePolicy, hasParams }),
    variables,
    error,
  };
}

function tryCompile(environment: Environment, expression: string): Program | CelError {
  try {
    return compile(environment, expression);
  } catch (error) {
    if (!(error instanceof CelIssues)) throw error;
    return new CelError(`compilation error: compilation failed: ${error.message}`);
  }
}
