import { compareText } from "../../base/json/value.ts";
import { labelValue, qualifiedName } from "../fields/names.ts";

export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** The requirement of a selector on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** The values, sorted and without duplicates. */
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** The faults of a requirement, in the words that Kubernetes uses. */
export function requirementFaults({ key, operator, values }: LabelRequirement): string[] {
  const keyFaults = qualifiedName(key);
  return [
    ...(keyFaults.length === 0 ? [] : [invalid("key", key, keyFaults.join("; "))]),
    ...rules[operator].faults(values),
    ...values.flatMap((value, index) => {
      const faults = labelValue(value).join("; ");
      return faults === "" ? [] : [invalid(`values[${index}][${key}]`, value, faults)];
    }),
  ];
}

export function invalid(field: string, value: unknown, detail: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
}

/** Compiles a requirement to a predicate on labels. */
export function compileRequirement(requirement: LabelRequirement): (labels: Labels) => boolean {
  const { key, operator, values } = requirement;
  const test = rules[operator].compile(values);
  return (labels) => test(Object.hasOwn(labels, key) ? labels[key] : undefined);
}

/** The canonical text of a requirement. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  return rules[operator].format(key, values);
}

export function sortedValues(values: Iterable<string>): string[] {
  return [...new Set(values)].toSorted(compareText);
}

type Values = readonly string[];

interface OperatorRule {
  /** The faults in number or kind of the values. */
  faults(values: Values): string[];
  /** Compiles a test of the label's value, which is undefined when the label is absent. */
  compile(values: Values): (value: string | undefined) => boolean;
  format(key: string, values: Values): string;
}

const isAmong = (values: Values): ((value: string | undefined) => boolean) => {
  const wanted = new Set(values);
  return (value) => value !== undefined && wanted.has(value);
};

const isNotAmong = (values: Values): ((value: string | undefined) => boolean) => {
  const isUnwanted = isAmong(values);
  return (value) => !isUnwanted(value);
};

const needsOne = (values: Values): string[] =>
  values.length === 1
    ? []
    : [invalid("values", values, "exact-match compatibility requires one single value")];

const needsSome = (values: Values): string[] =>
  values.length > 0
    ? []
    : [invalid("values", values, "for 'in', 'notin' operators, values set can't be empty")];

const needsNone = (values: Values): string[] =>
  values.length === 0
    ? []
    : [invalid("values", values, "values set must be empty for exists and does not exist")];

const needsInteger = (values: Values): string[] =>
  values.flatMap((value, index) =>
    parseInteger(value) === undefined
      ? [
          invalid(
            `values[${index}]`,
            value,
            "for 'Gt', 'Lt' operators, the value must be an integer",
          ),
        ]
      : [],
  );

const equal = (sign: string): OperatorRule => ({
  faults: needsOne,
  compile: sign === "!=" ? isNotAmong : isAmong,
  format: (key, values) => `${key}${sign}${values.join()}`,
});

const compare = (
  sign: string,
  isRight: (value: bigint, limit: bigint) => boolean,
): OperatorRule => ({
  faults: needsInteger,
  compile(values) {
    const limit = parseInteger(values[0] ?? "");
    return (text) => {
      const value = parseInteger(text ?? "");
      return value !== undefined && limit !== undefined && isRight(value, limit);
    };
  },
  format: (key, values) => `${key}${sign}${values.join()}`,
});

const rules: Readonly<Record<LabelOperator, OperatorRule>> = {
  "=": equal("="),
  "==": equal("=="),
  "!=": equal("!="),
  in: {
    faults: needsSome,
    compile: isAmong,
    format: (key, values) => `${key} in (${values.join()})`,
  },
  notin: {
    faults: needsSome,
    compile: isNotAmong,
    format: (key, values) => `${key} notin (${values.join()})`,
  },
  exists: {
    faults: needsNone,
    compile: () => (value) => value !== undefined,
    format: (key) => key,
  },
  "!": {
    faults: needsNone,
    compile: () => (value) => value === undefined,
    format: (key) => `!${key}`,
  },
  gt: compare(">", (value, limit) => value > limit),
  lt: compare("<", (value, limit) => value < limit),
};

/** Parses a decimal integer of 64 bits. */
function parseInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
