import { getOwn } from "../../../base/json/value.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, forbidden, invalid, required } from "../../fields/field-errors.ts";
import { qualifiedName } from "../../fields/names.ts";
import { canonicalAmount, nanosOf } from "../../fields/quantity.ts";
import type { LimitRange, LimitRangeItem } from "../../types/core.ts";
import { each, isRepeated, named } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { createdColumn, nameColumn, table } from "../table.ts";

const types = ["Pod", "Container", "PersistentVolumeClaim"];
const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
const one = 1_000_000_000n;

export const limitRange: Kind<LimitRange> = {
  hasGeneration: false,
  table: table<LimitRange>([nameColumn, createdColumn]),
  default({ spec }) {
    for (const limit of spec.limits ?? []) {
      for (const list of lists) {
        const amounts = limit[list] ?? {};
        for (const [name, amount] of Object.entries(amounts))
          amounts[name] = canonicalAmount(amount);
      }
      if (limit.type !== "Container") continue;
      limit.default = { ...limit.max, ...limit.default };
      limit.defaultRequest = { ...limit.min, ...limit.default, ...limit.defaultRequest };
    }
  },
  validate({ spec }) {
    const seen = new Set<string>();
    return each(spec.limits, "spec.limits", (limit, path) => {
      return [
        ...named(`${path}.type`, limit.type, qualifiedName),
        ...(types.includes(limit.type) || limit.type.includes("/")
          ? []
          : [
              invalid(
                `${path}.type`,
                limit.type,
                "must be a standard limit type or fully qualified",
              ),
            ]),
        ...(isRepeated(seen, limit.type) ? [duplicate(`${path}.type`, limit.type)] : []),
        ...itemErrors(limit, path),
      ];
    });
  },
};

function itemErrors(limit: LimitRangeItem, path: string): FieldError[] {
  const { min = {}, max = {}, type } = limit;
  const onlyOthers = "may not be specified when `type` is 'Pod'";
  const needsStorage = type === "PersistentVolumeClaim" && !min["storage"] && !max["storage"];
  const detail = "either minimum or maximum storage value is required, but neither was provided";
  return [
    ...(["default", "defaultRequest"] as const)
      .filter((list) => type === "Pod" && Object.keys(limit[list] ?? {}).length > 0)
      .map((list) => forbidden(`${path}.${list}`, onlyOthers)),
    ...(needsStorage ? [required(`${path}.limits`, detail)] : []),
    ...resourcesOf(limit).flatMap((name) => orderErrors(limit, name, path)),
  ];
}

function resourcesOf(limit: LimitRangeItem): string[] {
  return [...new Set(lists.flatMap((list) => Object.keys(limit[list] ?? {})))];
}

/** The lists that must not exceed others: the smaller, the larger, the one at fault, the words for both. */
const orders = [
  ["min", "max", "min", "min value", "max value"],
  ["min", "defaultRequest", "defaultRequest", "min value", "default request value"],
  ["defaultRequest", "max", "defaultRequest", "default request value", "max value"],
  ["defaultRequest", "default", "defaultRequest", "default request value", "default limit value"],
  ["min", "default", "default", "min value", "default value"],
  ["default", "max", "default", "default value", "max value"],
] as const;

function orderErrors(limit: LimitRangeItem, name: string, path: string): FieldError[] {
  const amountOf = (list: (typeof lists)[number]) =>
    getOwn(limit[list] ?? {}, name) as string | undefined;
  const ratio = amountOf("maxLimitRequestRatio");
  return [
    ...orders.flatMap(([low, high, at, lowName, highName]) => {
      const [least, most] = [amountOf(low), amountOf(high)];
      if (least === undefined || most === undefined || nanosOf(least) <= nanosOf(most)) return [];
      const state = `${lowName} ${least} is greater than ${highName} ${most}`;
      return [invalid(`${path}.${at}[${name}]`, amountOf(at), state)];
    }),
    ...(ratio !== undefined && nanosOf(ratio) < one
      ? [invalid(`${path}.maxLimitRequestRatio[${name}]`, ratio, `ratio ${ratio} is less than 1`)]
      : []),
  ];
}
