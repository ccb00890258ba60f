/** An address family, spelled the way the API spells it. It is always a value, never part of a name. */
export type Family = "IPv4" | "IPv6";

export const families: readonly Family[] = ["IPv4", "IPv6"];

export function bitsOf(family: Family): 32 | 128 {
  return family === "IPv4" ? 32 : 128;
}

export function otherFamily(family: Family): Family {
  return family === "IPv4" ? "IPv6" : "IPv4";
}
