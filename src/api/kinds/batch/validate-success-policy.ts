import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import type { SuccessPolicy, SuccessPolicyRule } from "../../types/batch.ts";
import { each, nonNegative, tooLong, tooMany } from "../checks.ts";

const max = { rules: 20, indexesText: 64 * 1024 };

export function successPolicyErrors(
  { rules = [] }: Partial<SuccessPolicy>,
  completions: number,
  path: string,
): FieldError[] {
  const detail = "at least one rules must be specified when the successPolicy is specified";
  return [
    ...(rules.length === 0 ? [required(`${path}.rules`, detail)] : []),
    ...tooMany(`${path}.rules`, rules.length, max.rules),
    ...each(rules, `${path}.rules`, (rule, one) => ruleErrors(rule, completions, one)),
  ];
}

function ruleErrors(rule: SuccessPolicyRule, completions: number, path: string): FieldError[] {
  const { succeededCount: wanted, succeededIndexes: text } = rule;
  if (wanted === undefined && text === undefined) {
    return [required(path, "at least one of succeededCount or succeededIndexes must be specified")];
  }
  const indexes = readIndexes(text ?? "", completions);
  const field = `${path}.succeededCount`;
  const most = (limit: number, what: string) =>
    invalid(field, wanted, `must be less than or equal to ${limit} (the number of ${what})`);
  const inIndexes = "indexes in the specified succeededIndexes field";
  return [
    ...tooLong(`${path}.succeededIndexes`, text ?? "", max.indexesText),
    ...(indexes.problem === undefined
      ? []
      : [
          invalid(
            `${path}.succeededIndexes`,
            text,
            `error parsing succeededIndexes: ${indexes.problem}`,
          ),
        ]),
    ...nonNegative(field, wanted),
    ...(wanted !== undefined && wanted > completions
      ? [most(completions, "specified completions")]
      : []),
    ...(wanted !== undefined && text !== undefined && wanted > indexes.count
      ? [most(indexes.count, inIndexes)]
      : []),
  ];
}

/** Counts the indexes in a text such as `0-2,5`; they must ascend and stay below the completions. */
function readIndexes(text: string, completions: number): { count: number; problem?: string } {
  if (text === "") return { count: 0 };
  let count = 0;
  let last = -1;
  const fail = (problem: string) => ({ count: 0, problem });
  for (const interval of text.split(",")) {
    const limits = interval.split("-");
    if (limits.length > 2) {
      return fail(
        `the fragment "${interval}" violates the requirement that an index interval can have at most two parts separated by '-'`,
      );
    }
    for (const [position, limit] of limits.entries()) {
      const index = Number(limit);
      if (!/^\d+$/.test(limit)) {
        return fail(`cannot convert string to integer for index: "${limit}"`);
      }
      if (index >= completions) return fail(`too large index: "${limit}"`);
      if (index <= last) {
        return fail(`non-increasing order, previous: ${last}, current: ${index}`);
      }
      count += position === 0 ? 1 : index - last;
      last = index;
    }
  }
  return { count };
}
