import { Address, InvalidAddressError } from "./address.ts";
import type { Family } from "./family.ts";
import { Prefix } from "./prefix.ts";

/** Parses "10.0.0.1,fd00::1"; blanks around an element are allowed, empty elements are not. */
export function parseAddressList(text: string): Address[] {
  return parseList(text, Address.parse);
}

/** Parses "fd00:10:20::/72,10.20.0.0/16". */
export function parsePrefixList(text: string): Prefix[] {
  return parseList(text, Prefix.parse);
}

/** Picks the first item of each family; the caller warns about the ignored ones, or refuses them. */
export function firstOfEachFamily<T extends { readonly family: Family }>(
  list: readonly T[],
): { used: T[]; ignored: T[] } {
  const used: T[] = [];
  const ignored: T[] = [];
  for (const item of list) {
    const target = used.some((other) => other.family === item.family) ? ignored : used;
    target.push(item);
  }
  return { used, ignored };
}

function parseList<T>(text: string, parse: (element: string) => T): T[] {
  return text.split(",").map((element, index) => {
    try {
      return parse(element.trim());
    } catch (cause) {
      if (!(cause instanceof InvalidAddressError)) throw cause;
      throw new InvalidAddressError(
        `parse list ${JSON.stringify(text)}`,
        `element ${index + 1}, ${JSON.stringify(element)}: ${cause.state}`,
        { cause },
      );
    }
  });
}
