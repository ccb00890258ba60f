// Who may ask: the one-time codes of links, the tokens that pages get, and for whom each of them acts.

import { createHash } from "node:crypto";
import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";

export interface SessionParts {
  readonly clock: Clock;
  readonly random: Random;
}

/** The most codes and tokens that are valid at once; the oldest gives way. */
const most = 32;

export class Sessions<User> {
  readonly #parts: SessionParts;
  /** Codes by digest, with their user and the time until which each is valid. */
  readonly #codes = new Map<string, { readonly user: User; readonly until: number }>();
  readonly #tokens = new Map<string, User>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** The users that have a token or a code. */
  get users(): ReadonlySet<User> {
    return new Set([...this.#tokens.values(), ...this.#codes.values().map(({ user }) => user)]);
  }

  /** Makes a code that can be exchanged once. */
  issueCode(user: User, lifetimeMs = Number.POSITIVE_INFINITY): string {
    const code = this.#secret();
    this.#codes.set(digest(code), { user, until: this.#parts.clock.monotonic() + lifetimeMs });
    dropOldest(this.#codes);
    return code;
  }

  /** Exchanges a code for a token; undefined if it is unknown, used or too old. */
  exchange(code: string): string | undefined {
    const key = digest(code);
    const found = this.#codes.get(key);
    this.#codes.delete(key);
    if (found === undefined || this.#parts.clock.monotonic() >= found.until) return undefined;
    return this.open(found.user);
  }

  /** Makes a token for a user. */
  open(user: User): string {
    const token = this.#secret();
    this.#tokens.set(digest(token), user);
    dropOldest(this.#tokens);
    return token;
  }

  /** Returns the user of the token that an Authorization header carries. */
  find(authorization: string | undefined): User | undefined {
    return this.#tokens.get(keyOf(authorization));
  }

  /** Forgets the token that an Authorization header carries. */
  close(authorization: string | undefined): void {
    this.#tokens.delete(keyOf(authorization));
  }

  #secret(): string {
    return Buffer.from(this.#parts.random.bytes(32)).toString("base64url");
  }
}

/** Secrets are looked up by digest, so that the time of a look-up tells nothing about them. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("base64");
}

function keyOf(authorization: string | undefined): string {
  const [scheme, token, ...rest] = (authorization ?? "").split(" ");
  return scheme !== "Bearer" || token === undefined || rest.length > 0 ? "" : digest(token);
}

function dropOldest(entries: Map<string, unknown>): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}
