// Arithmetic of 64-bit integers, which fail instead of wrapping around.
import { CelError, Duration, Timestamp, Uint } from "./value.ts";

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

export const intOverflow = new CelError("integer overflow");
export const uintOverflow = new CelError("unsigned integer overflow");

export function int(value: bigint): bigint | CelError {
  return value < minInt || value > maxInt ? intOverflow : value;
}

export function uint(value: bigint): Uint | CelError {
  return value < 0n || value > maxUint ? uintOverflow : new Uint(value);
}

export function duration(nanos: bigint): Duration | CelError {
  return nanos < minInt || nanos > maxInt ? intOverflow : new Duration(nanos);
}

const second = 1_000_000_000n;
/** The years 1 to 9999. */
const earliest = -62_135_596_800n * second;
const latest = 253_402_300_800n * second - 1n;

export const timestampOverflow = new CelError("timestamp overflow");

export function timestamp(nanos: bigint): Timestamp | CelError {
  return nanos < earliest || nanos > latest ? timestampOverflow : new Timestamp(nanos);
}

/** Returns the integer part of a double. */
export function intOfDouble(value: number): bigint | CelError {
  // Doubles next to the limits are refused: they may stand for numbers beyond.
  if (!(value > -(2 ** 63) && value < 2 ** 63)) {
    return intOverflow;
  }
  return BigInt(Math.trunc(value));
}

export function uintOfDouble(value: number): Uint | CelError {
  if (!(value >= 0 && value < 2 ** 64)) return uintOverflow;
  return new Uint(BigInt(Math.trunc(value)));
}

/** Returns the shortest text of a double, as Go prints it with %g. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [digits = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 6)) {
    return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return plainText(value);
}

/** Returns the shortest text of a double without an exponent. */
export function plainText(value: number): string {
  if (!Number.isFinite(value)) return doubleText(value);
  const text = String(value);
  if (!text.includes("e")) return Object.is(value, -0) ? "-0" : text;
  const [mantissa = "", exponentText = "0"] = text.split("e");
  const isNegative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const shown =
    point <= 0
      ? `0.${"0".repeat(-point)}${digits}`
      : digits.padEnd(point, "0").slice(0, point) +
        (digits.length > point ? `.${digits.slice(point)}` : "");
  return isNegative ? `-${shown}` : shown;
}
