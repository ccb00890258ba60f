// Puts the parts together: who asks, whether they may, and what nodes may write.
import type { Admission, Authenticator, Authorizer, User } from "../access.ts";
import { StatusError } from "../errors.ts";
import { bearerTokens, type TokenVerifier } from "./bearer-token.ts";
import { bootstrapTokens } from "./bootstrap-token.ts";
import { clientCertificates } from "./client-certificate.ts";
import { nodeAuthorizer, nodeRestriction } from "./node-access.ts";
import type { ObjectReader } from "./objects.ts";
import { rbac } from "./rbac.ts";
import { type ServiceAccountTokens, serviceAccountTokens } from "./service-account-token.ts";
import { staticTokens } from "./static-tokens.ts";

export interface GuardOptions {
  readonly objects: ObjectReader;
  readonly serviceAccountKey: string;
  readonly issuer: string;
  /** The text of a file of fixed tokens. */
  readonly tokens?: string;
  readonly now: () => Date;
}

export interface Guard {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly admission: readonly Admission[];
  readonly serviceAccounts: ServiceAccountTokens;
}

const authenticated = "system:authenticated";

export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { objects, serviceAccountKey: key, issuer, now } = options;
  const serviceAccounts = await serviceAccountTokens({ key, issuer, objects, now });
  const verifiers: TokenVerifier[] = [serviceAccounts, bootstrapTokens(objects, now)];
  if (options.tokens !== undefined) verifiers.push(staticTokens(options.tokens));
  const ways = [clientCertificates(), bearerTokens(verifiers, { now: () => now().getTime() })];
  const authorizers = [nodeAuthorizer(objects), rbac(objects)];
  return {
    serviceAccounts,
    authenticator: {
      async authenticate(credentials) {
        for (const way of ways) {
          const user = await way.authenticate(credentials);
          if (user !== undefined) return asAuthenticated(user);
        }
        return undefined;
      },
    },
    authorizer: {
      async authorize(user, attributes) {
        const reasons: string[] = [];
        for (const authorizer of authorizers) {
          const decision = await authorizer.authorize(user, attributes);
          if (decision.allowed) return decision;
          if (decision.reason !== undefined) reasons.push(decision.reason);
        }
        return { allowed: false, reason: reasons.join("; ") };
      },
    },
    admission: [nodeRestriction(objects, (message) => new StatusError("Forbidden", message))],
  };
}

function asAuthenticated(user: User): User {
  if (user.groups.includes(authenticated)) return user;
  return { ...user, groups: [...user.groups, authenticated] };
}
