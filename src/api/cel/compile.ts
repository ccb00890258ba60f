// Compiles expressions.
import type { Checked } from "./checker/checked.ts";
import { check } from "./checker/checker.ts";
import { literalIssues } from "./checker/literals.ts";
import type { Environment } from "./environment.ts";
import { Frame, type FrameOptions } from "./runtime/frame.ts";
import { planExpression } from "./runtime/plan.ts";
import type { Value } from "./runtime/value.ts";
import { parse } from "./syntax/parser.ts";
import { CelIssues } from "./syntax/source.ts";
import type { Type } from "./types.ts";

export interface Program {
  readonly checked: Checked;
  readonly type: Type;
  /** Evaluates the expression. Throws `CostLimitExceeded` when it costs more than it may. */
  evaluate(options: FrameOptions): Evaluation;
}

export interface Evaluation {
  /** The value; an error when the evaluation failed. */
  readonly value: Value;
  readonly cost: number;
}

/** Compiles an expression; throws `CelIssues` when it is not valid. */
export function compile(environment: Environment, source: string): Program {
  const root = parse(source);
  const checked = check(environment, source, root);
  const issues = literalIssues(checked);
  if (issues.length > 0) throw new CelIssues(source, issues);
  const run = planExpression({ checked, functions: environment.functions });
  return {
    checked,
    type: checked.type,
    evaluate(options) {
      const frame = new Frame(options);
      const value = run(frame);
      return { value, cost: frame.cost };
    },
  };
}

export type { FrameOptions };
