import type { Address } from "./address.ts";

/** Formats an address with a port, as in URLs. */
export function hostPort(address: Address, port: number): string {
  return address.family === "IPv4" ? `${address}:${port}` : `[${address}]:${port}`;
}
