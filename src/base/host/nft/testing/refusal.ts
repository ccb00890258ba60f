import type { HostError } from "../../error.ts";

/** A refusal of the kernel, before the line it is about is known. */
export class Refusal extends Error {
  readonly reason: HostError["reason"];

  constructor(message: string, reason: HostError["reason"]) {
    super(message);
    this.reason = reason;
  }
}

export function notFound(): never {
  throw new Refusal("No such file or directory", "not-found");
}

export function alreadyExists(): never {
  throw new Refusal("File exists", "already-exists");
}

export function busy(): never {
  throw new Refusal("Device or resource busy", "in-use");
}

export function notSupported(): never {
  throw new Refusal("Operation not supported", "not-supported");
}

export function tooMany(): never {
  throw new Refusal("Too many open files in system", "too-large");
}

/** Refuses words that do not fit the object they are about, as nft itself does. */
export function malformed(state: string): never {
  throw new Refusal(state, "invalid");
}
