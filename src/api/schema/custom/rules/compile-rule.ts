// Compiles one rule of a schema.
import { compile, type Program } from "../../../cel/compile.ts";
import { type Environment, extend } from "../../../cel/environment.ts";
import { estimateCost } from "../../../cel/estimate-cost.ts";
import { kubernetes } from "../../../cel/kubernetes.ts";
import { boolType, optionalType, sameType, stringType, type Type } from "../../../cel/types.ts";
import { CelIssues } from "../../../cel/values.ts";
import type { ValidationRule } from "../../../types/apiextensions.ts";

export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  /** The reason why the rule cannot be compiled. */
  readonly error?: string;
  readonly message?: Program;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
  /** The most that the rule and its message can cost. */
  readonly maxCost: number;
  readonly messageMaxCost: number;
}

const failed = { usesOldSelf: false, maxCost: 0, messageMaxCost: 0 };

export function compileRule(rule: ValidationRule, type: Type): CompiledRule {
  const oldSelf = rule.optionalOldSelf === true ? optionalType(type) : type;
  const environment = extend(kubernetes, { self: type, oldSelf });
  const program = tryCompile(environment, rule.rule, "compilation failed: ");
  if ("error" in program) return { rule, ...failed, error: program.error };
  if (!sameType(program.type, boolType)) {
    return { rule, ...failed, error: "cel expression must evaluate to a bool" };
  }
  const usesOldSelf = [...program.checked.names.values()].includes("oldSelf");
  const compiled = {
    ...failed,
    rule,
    program,
    usesOldSelf,
    maxCost: estimateCost(program, type).max,
  };
  if (!rule.messageExpression) return compiled;
  const prefix = "messageExpression compilation failed: ";
  const message = tryCompile(environment, rule.messageExpression, prefix);
  if ("error" in message) return { ...compiled, messageError: message.error };
  if (!sameType(message.type, stringType)) {
    return { ...compiled, messageError: "messageExpression must evaluate to a string" };
  }
  return { ...compiled, message, messageMaxCost: estimateCost(message, type).max };
}

function tryCompile(
  environment: Environment,
  source: string,
  prefix: string,
): Program | { readonly error: string } {
  try {
    return compile(environment, source);
  } catch (error) {
    if (!(error instanceof CelIssues)) throw error;
    return { error: prefix + error.message };
  }
}
