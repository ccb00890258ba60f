// Values of API objects, checked here since another API server may let invalid ones through.

import { type Protocol, protocols } from "./frontend.ts";

/** Reads a protocol; TCP when not given. */
export function readProtocol(text: string | undefined): Protocol | undefined {
  return protocols.find((protocol) => protocol === (text ?? "TCP").toLowerCase());
}

export function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;
}
