// Values of API objects, which another server may let through unchecked.

import { type Protocol, protocols } from "./frontend.ts";

/** Nothing was said: TCP. */
export function readProtocol(text: string | undefined): Protocol | undefined {
  return protocols.find((protocol) => protocol === (text ?? "TCP").toLowerCase());
}

export function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;
}
