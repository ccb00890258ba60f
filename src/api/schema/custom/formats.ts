import { Address } from "../../../base/net/address.ts";
import { bitsOf } from "../../../base/net/family.ts";
import { scalarProblem } from "../scalars.ts";

/** Whether a string has a format; unknown formats accept any. */
export function hasFormat(format: string, text: string): boolean {
  return formats.get(format)?.(text) ?? true;
}

const hostname =
  /^(?=.{1,255}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*\.?$/i;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const goDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date-time", (text) => scalarProblem("time", text) === undefined],
  ["date", (text) => scalarProblem("time", `${text}T00:00:00Z`) === undefined],
  ["byte", (text) => scalarProblem("bytes", text) === undefined],
  ["ipv4", (text) => Address.tryParse(text)?.family === "IPv4"],
  ["ipv6", (text) => Address.tryParse(text)?.family === "IPv6"],
  ["cidr", isPrefix],
  ["mac", (text) => /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text)],
  ["hostname", (text) => hostname.test(text)],
  ["email", (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ["uri", (text) => URL.canParse(text)],
  ["uuid", (text) => uuid.test(text)],
  ["duration", (text) => goDuration.test(text)],
]);

function isPrefix(text: string): boolean {
  const [address = "", length = "", ...more] = text.split("/");
  const parsed = Address.tryParse(address);
  if (parsed === undefined || more.length > 0 || !/^\d{1,3}$/.test(length)) return false;
  return Number(length) <= bitsOf(parsed.family);
}
