import { isInteger } from "../../base/json/integer.ts";
import type { SchemaType } from "./model.ts";

type Scalar = Exclude<SchemaType, "object" | "map" | "array">;

/** The expected form of a scalar, if the value does not have it; undefined if it does. */
export function scalarProblem(type: Scalar, value: unknown): string | undefined {
  const { expected, accepts } = scalars[type];
  return accepts(value) ? undefined : expected;
}

const int32 = 2 ** 31;
const int64 = 2 ** 63;

const scalars: Readonly<
  Record<Scalar, { readonly expected: string; readonly accepts: (value: unknown) => boolean }>
> = {
  any: { expected: "any value", accepts: () => true },
  string: { expected: "a string", accepts: isString },
  boolean: { expected: "true or false", accepts: (value) => typeof value === "boolean" },
  int32: { expected: "an integer of 32 bits", accepts: isInt32 },
  int64: {
    expected: "an integer of 64 bits",
    accepts: (value) => isInteger(value) && within(value, int64),
  },
  double: { expected: "a number", accepts: isNumber },
  bytes: { expected: "base64", accepts: (value) => isString(value) && isBase64(value) },
  time: { expected: "a time such as 2006-01-02T15:04:05Z", accepts: isTime },
  microTime: { expected: "a time such as 2006-01-02T15:04:05.000000Z", accepts: isTime },
  intOrString: {
    expected: "an integer of 32 bits or a string",
    accepts: (value) => isString(value) || isInt32(value),
  },
  quantity: {
    expected: "a quantity such as 100m or 2Gi",
    accepts: (value) => (isString(value) ? isQuantity(value) : isNumber(value)),
  },
};

const quantity = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
/** The longest quantity: far more than the 19 digits and 9 decimals that one can have. */
const longestQuantity = 256;
const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isQuantity(text: string): boolean {
  return text.length <= longestQuantity && quantity.test(text);
}

function isInt32(value: unknown): boolean {
  return Number.isInteger(value) && within(value, int32);
}

function within(value: unknown, limit: number): boolean {
  return isNumber(value) && value >= -limit && value < limit;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "bigint" || Number.isFinite(value);
}

/** Whether a text is base64 with padding, line breaks allowed, as Go reads it. */
function isBase64(text: string): boolean {
  const compact = text.replaceAll(/[\r\n]/g, "");
  return compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
}

function isTime(value: unknown): boolean {
  const match = isString(value) ? rfc3339.exec(value) : null;
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map(Number);
  const days = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return (
    month >= 1 && month <= 12 && day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60
  );
}
