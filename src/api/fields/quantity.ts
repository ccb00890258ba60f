// Amounts of resources: `500m`, `1.5Gi`, `2e3`. They are exact down to a billionth, and every amount
// has one text form: no fractions, the largest unit that needs none.

export interface Quantity {
  /** The amount in billionths. */
  readonly nanos: bigint;
  readonly notation: "decimal" | "binary" | "exponent";
}

const syntax = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]?)(?:[eE]([+-]?\d+))?$/;
const binaryUnits = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimalUnits = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/** The longest text that is parsed: the time to calculate grows with the square of the number of digits. */
const longest = 256;
const one = 1_000_000_000n;

/** Parses a quantity; throws on what is none. Values that passed the schema are quantities. */
export function parseQuantity(value: string | number): Quantity {
  const text = String(value);
  if (text.length > longest) {
    throw new RangeError(`Cannot read a quantity of ${text.length} characters: it is too long`);
  }
  const [, sign, whole = "", fraction = "", unit = "", exponent] = syntax.exec(text) ?? [];
  if (sign === undefined || whole + fraction === "") {
    throw new RangeError(`Cannot read quantity ${JSON.stringify(text)}: it has no such form`);
  }
  const power = binaryUnits.indexOf(unit) + 1;
  const decimals = 3 * (decimalUnits.indexOf(unit) - 3);
  const scale = power > 0 ? 0 : Number(exponent ?? 0) + decimals;
  const digits = BigInt(whole + fraction) * 1024n ** BigInt(power);
  const nanos = shiftedUp(digits, scale - fraction.length + 9);
  const isBinary = power > 0 && nanos >= one;
  return {
    nanos: sign === "-" ? -nanos : nanos,
    notation: exponent !== undefined ? "exponent" : isBinary ? "binary" : "decimal",
  };
}

export function nanosOf(value: string | number): bigint {
  return parseQuantity(value).nanos;
}

export function formatQuantity({ nanos, notation }: Quantity): string {
  const isWhole = nanos % one === 0n;
  const isLarge = nanos >= 1024n * one || nanos <= -1024n * one;
  if (notation === "binary" && isWhole && isLarge) return withBinaryUnit(nanos / one);
  let [number, power] = [nanos, -9];
  while (number !== 0n && number % 1000n === 0n && power < 18) {
    number /= 1000n;
    power += 3;
  }
  if (number === 0n) return "0";
  if (notation === "exponent") return power === 0 ? `${number}` : `${number}e${power}`;
  return `${number}${decimalUnits[power / 3 + 3]}`;
}

/** Returns the canonical text of an amount, rounded away from zero to thousandths, the finest unit. */
export function canonicalAmount(value: string | number): string {
  const quantity = parseQuantity(value);
  const milli = one / 1000n;
  const rest = quantity.nanos % milli;
  if (rest === 0n) return formatQuantity(quantity);
  const away = rest > 0n ? milli - rest : -milli - rest;
  return formatQuantity({ ...quantity, nanos: quantity.nanos + away });
}

/** Multiplies by a power of ten and rounds up, so that what is smaller than a billionth counts as one. */
function shiftedUp(digits: bigint, power: number): bigint {
  if (power >= 0) return digits === 0n ? 0n : digits * 10n ** BigInt(Math.min(power, 400));
  const divisor = 10n ** BigInt(Math.min(-power, 400));
  return (digits + divisor - 1n) / divisor;
}

function withBinaryUnit(whole: bigint): string {
  let [number, power] = [whole, 0];
  while (number % 1024n === 0n && power < binaryUnits.length) {
    number /= 1024n;
    power++;
  }
  return `${number}${power === 0 ? "" : binaryUnits[power - 1]}`;
}
