// Amounts of resources, such as 500m and 1.5Gi.
import { nanosOf } from "../../fields/quantity.ts";
import { CelError, Opaque, type Value } from "../runtime/value.ts";
import { abstractType, type Type } from "../types.ts";
import type { Implementation, Library } from "./library.ts";

export const quantityTypes: Readonly<Record<string, Type>> = {
  quantity: abstractType("kubernetes.Quantity"),
};

const one = 1_000_000_000n;

export class QuantityValue extends Opaque {
  override readonly typeName = "kubernetes.Quantity";
  /** The amount in billionths. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  override equals(other: Opaque): boolean {
    return this.nanos === (other as QuantityValue).nanos;
  }
}

const nanos = (value: Value | undefined) => (value as QuantityValue).nanos;
const sum =
  (sign: bigint): Implementation =>
  (a, b) =>
    new QuantityValue(nanos(a) + sign * (typeof b === "bigint" ? b * one : nanos(b)));
const order = (a: bigint, b: bigint) => (a === b ? 0n : a < b ? -1n : 1n);

export const quantities: Library = {
  quantity: { string_to_quantity: ["(string) quantity", (text) => parse(text as string)] },
  isQuantity: {
    is_quantity_string: ["(string) bool", (text) => !(parse(text as string) instanceof CelError)],
  },
  sign: { quantity_sign: ["(quantity) int", (value) => order(nanos(value), 0n)] },
  isGreaterThan: {
    quantity_is_greater_than: ["quantity.(quantity) bool", (a, b) => nanos(a) > nanos(b)],
  },
  isLessThan: {
    quantity_is_less_than: ["quantity.(quantity) bool", (a, b) => nanos(a) < nanos(b)],
  },
  compareTo: {
    quantity_compare_to: ["quantity.(quantity) int", (a, b) => order(nanos(a), nanos(b))],
  },
  asApproximateFloat: {
    quantity_get_float: ["quantity.() double", (value) => Number(nanos(value)) / 1e9],
  },
  asInteger: {
    quantity_get_int: [
      "quantity.() int",
      (value) => integer(nanos(value)) ?? new CelError("cannot convert value to integer"),
    ],
  },
  isInteger: {
    quantity_is_integer: ["quantity.() bool", (value) => integer(nanos(value)) !== undefined],
  },
  add: {
    quantity_add: ["quantity.(quantity) quantity", sum(1n)],
    quantity_add_int: ["quantity.(int) quantity", sum(1n)],
  },
  sub: {
    quantity_sub: ["quantity.(quantity) quantity", sum(-1n)],
    quantity_sub_int: ["quantity.(int) quantity", sum(-1n)],
  },
};

function parse(text: string): QuantityValue | CelError {
  try {
    return new QuantityValue(nanosOf(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new CelError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
}

function integer(value: bigint): bigint | undefined {
  const whole = value / one;
  const fits = BigInt.asIntN(64, whole) === whole;
  return fits && value % one === 0n ? whole : undefined;
}
