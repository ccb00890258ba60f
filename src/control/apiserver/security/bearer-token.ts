// Bearer tokens: each kind of token is a verifier; the first that knows the token decides.
import { createHash } from "node:crypto";
import type { Authenticator, Credentials, User } from "../access.ts";

export interface TokenVerifier {
  /** Returns the user; `undefined` when the token is not of this kind, or not valid (any more). */
  verify(token: string): User | undefined | Promise<User | undefined>;
}

export class UnauthorizedError extends Error {
  readonly reason = "Unauthorized";
}

export interface BearerOptions {
  readonly now: () => number;
}

/** The time that a verified token is cached, so that a revoked one may work for this long. */
const cacheMilliseconds = 10_000;
const cacheSize = 1_000;

export function bearerTokens(
  verifiers: readonly TokenVerifier[],
  options: BearerOptions,
): Authenticator {
  const cache = new Map<string, { user: User; until: number }>();

  const verify = async (token: string): Promise<User> => {
    // The cache holds hashes, so that a memory dump does not give tokens away.
    const key = createHash("sha256").update(token).digest("base64");
    const cached = cache.get(key);
    if (cached !== undefined && cached.until > options.now()) return cached.user;
    cache.delete(key);
    for (const verifier of verifiers) {
      const user = await verifier.verify(token);
      if (user === undefined) continue;
      const oldest = cache.size >= cacheSize ? cache.keys().next().value : undefined;
      if (oldest !== undefined) cache.delete(oldest);
      cache.set(key, { user, until: options.now() + cacheMilliseconds });
      return user;
    }
    throw new UnauthorizedError("Cannot authenticate: the bearer token is not valid");
  };

  return {
    authenticate({ headers }: Credentials) {
      const token = bearerOf(headers.authorization);
      return token === undefined ? undefined : verify(token);
    },
  };
}

function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +(\S+) *$/i.exec(header)?.[1];
}
