import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { messageOf } from "../errors.ts";
import { invalidField } from "./fields.ts";

/** Collects warnings: what an operator should know although it is no error. */
export type Warn = (message: string) => void;

/** The field that is being read, which errors and warnings name. */
export interface Spot {
  readonly field: string;
  readonly warn: Warn;
}

export function readAddress(text: string, spot: Spot): Address {
  return read(text, spot, Address.parse);
}

export function readPrefix(text: string, spot: Spot): Prefix {
  return read(text, spot, Prefix.parse);
}

/** An address together with the length of its network: "10.0.0.5/24". */
export interface InterfaceAddress {
  readonly address: Address;
  readonly prefix: Prefix;
}

export function readInterfaceAddress(text: string, spot: Spot): InterfaceAddress {
  return {
    prefix: readPrefix(text, spot),
    address: readAddress(text.slice(0, text.indexOf("/")), spot),
  };
}

/** Reads a prefix such as "10.0.0.0/30", or a single address such as "10.0.0.7". */
export function readPrefixOrAddress(text: string, spot: Spot): Prefix | Address {
  return text.includes("/") ? readPrefix(text, spot) : readAddress(text, spot);
}

function read<T>(text: string, { field, warn }: Spot, parse: (text: string) => T): T {
  const plain = withoutLeadingZeros(text);
  if (plain !== text) warn(`${field} ${JSON.stringify(text)} has leading zeros: read as ${plain}`);
  try {
    return parse(plain);
  } catch (error) {
    throw invalidField(`${field} ${JSON.stringify(text)}`, messageOf(error), error);
  }
}

/** Removes leading zeros, which existing configurations have and mean as decimal numbers. */
function withoutLeadingZeros(text: string): string {
  return text.includes(":") ? text : text.replace(/(?<=^|\.)0+(?=\d)/g, "");
}
