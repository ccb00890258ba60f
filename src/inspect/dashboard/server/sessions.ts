// Who may read: the one-time codes of links, and the tokens that pages get for them.

import { createHash } from "node:crypto";
import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";

export interface SessionParts {
  readonly clock: Clock;
  readonly random: Random;
}

/** The most codes and tokens that are valid at once; the oldest gives way. */
const most = 32;

export class Sessions {
  readonly #parts: SessionParts;
  /** Codes by digest, with the time until which each is valid. */
  readonly #codes = new Map<string, number>();
  readonly #tokens = new Set<string>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Makes a code that can be exchanged once. */
  issueCode(lifetimeMs = Number.POSITIVE_INFINITY): string {
    const code = this.#secret();
    this.#codes.set(digest(code), this.#parts.clock.monotonic() + lifetimeMs);
    dropOldest(this.#codes);
    return code;
  }

  /** Exchanges a code for a token; undefined if it is unknown, used or too old. */
  exchange(code: string): string | undefined {
    const key = digest(code);
    const until = this.#codes.get(key);
    this.#codes.delete(key);
    if (until === undefined || this.#parts.clock.monotonic() >= until) return undefined;
    const token = this.#secret();
    this.#tokens.add(digest(token));
    dropOldest(this.#tokens);
    return token;
  }

  /** Whether the value of an Authorization header carries a token of these sessions. */
  isKnown(authorization: string | undefined): boolean {
    const [scheme, token, ...rest] = (authorization ?? "").split(" ");
    if (scheme !== "Bearer" || token === undefined || rest.length > 0) return false;
    return this.#tokens.has(digest(token));
  }

  #secret(): string {
    return Buffer.from(this.#parts.random.bytes(32)).toString("base64url");
  }
}

/** Secrets are looked up by digest, so that the time of a look-up tells nothing about them. */
function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("base64");
}

function dropOldest(entries: Map<string, unknown> | Set<string>): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}
