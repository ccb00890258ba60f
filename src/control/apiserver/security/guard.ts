// The guard: puts authentication, authorization and admission together.

import type { Log } from "../../../base/program/log.ts";
import type { Admission, Authenticator, Authorizer, Completion, User } from "../access.ts";
import { classAdmission } from "../admission/classes.ts";
import type { DynamicAdmission } from "../admission/dynamic.ts";
import { limitAdmission, resizeLimits } from "../admission/limits.ts";
import { policyAdmission } from "../admission/policies/policies.ts";
import { expansionAdmission, storageCompletion } from "../admission/storage.ts";
import type { WebhookPort } from "../admission/webhooks/port.ts";
import { webhookAdmission } from "../admission/webhooks/webhooks.ts";
import type { PathHandler, Reviewer } from "../ports.ts";
import { accountAdmission } from "./account-admission.ts";
import { accountSecrets } from "./account-secrets.ts";
import type { Authority } from "./authority.ts";
import { bearerTokens, type TokenVerifier } from "./bearer-token.ts";
import { bootstrapTokens } from "./bootstrap-token.ts";
import {
  certificateRequestAdmission,
  certificateRequestCompletion,
} from "./certificate-request-admission.ts";
import { clientCertificates } from "./client-certificate.ts";
import { escalationCheck } from "./escalation.ts";
import { joining, joinPath } from "./join.ts";
import {
  type AnonymousSettings,
  defaultLogIn,
  type LogInSettings,
} from "./log-in/configuration.ts";
import { type IssuerDocuments, issuerDocuments } from "./log-in/issuer-discovery.ts";
import { oidcTokens } from "./log-in/oidc.ts";
import { nodeAuthorizer } from "./node-access.ts";
import type { ServerIdentity } from "./node-names.ts";
import { nodeRestriction } from "./node-restriction.ts";
import type { ObjectReader } from "./objects.ts";
import { podSecurity } from "./pod-security/admission.ts";
import { defaultPodSecurity, type PodSecuritySettings } from "./pod-security/configuration.ts";
import { rbac } from "./rbac.ts";
import { reviewers } from "./reviews.ts";
import { type ServiceAccountTokens, serviceAccountTokens } from "./service-account-token.ts";
import { type ReservedAddresses, serviceAddresses } from "./service-addresses.ts";
import { staticTokens } from "./static-tokens.ts";

export interface GuardOptions {
  readonly objects: ObjectReader;
  readonly serviceAccountKey: string;
  /** The authority that signs the certificates of joining nodes. */
  readonly authority: Authority;
  readonly issuer: string;
  /** The names of the server, which no node may have. */
  readonly server?: ServerIdentity;
  /** The text of the static token file. */
  readonly tokens?: string;
  /** The settings of external issuers and of anonymous access. */
  readonly logIn?: LogInSettings;
  /** Further token verifiers, which are asked after all others. */
  readonly verifiers?: readonly TokenVerifier[];
  /** The URL of the keys of service account tokens, when it is not below the issuer's. */
  readonly jwksUri?: string | undefined;
  readonly log?: Log;
  /** The Pod Security levels for namespaces without labels, and the exemptions. */
  readonly podSecurity?: PodSecuritySettings;
  /** The addresses that services may not take; absent: they may take any. */
  readonly reserved?: ReservedAddresses;
  /** The way to admission webhooks; absent: none is called. */
  readonly webhooks?: WebhookPort;
  readonly now: () => Date;
}

export interface Guard {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly completions: readonly Completion[];
  readonly admission: readonly Admission[];
  /** The policies, then the webhooks. */
  readonly dynamic: readonly DynamicAdmission[];
  readonly serviceAccounts: ServiceAccountTokens;
  /** The reviewers, by resource: they answer objects that are created as questions. */
  readonly reviewers: Readonly<Record<string, Reviewer>>;
  readonly paths: Readonly<Record<string, PathHandler>>;
  readonly documents: IssuerDocuments;
  readonly anonymous: AnonymousSettings;
}

const unnamed: ServerIdentity = { dnsNames: ["kubernetes"], addresses: [], hostName: "" };
const authenticated = "system:authenticated";

export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { objects, serviceAccountKey: key, issuer, now, server = unnamed } = options;
  const serviceAccounts = await serviceAccountTokens({ key, issuer, objects, now });
  const verifiers: TokenVerifier[] = [serviceAccounts, bootstrapTokens(objects, now)];
  if (options.tokens !== undefined) verifiers.push(staticTokens(options.tokens));
  const { logIn = defaultLogIn, log } = options;
  const own = logIn.issuers.find(({ url }) => url === issuer);
  if (own !== undefined) {
    throw new Error(`Cannot trust the issuer ${issuer}: it is the one of service accounts`);
  }
  verifiers.push(...logIn.issuers.map((one) => oidcTokens(one, { now, log })));
  verifiers.push(...(options.verifiers ?? []));
  const ways = [clientCertificates(), bearerTokens(verifiers, { now: () => now().getTime() })];
  const roles = rbac(objects);
  const authorizer = firstToAllow([nodeAuthorizer(objects), roles]);
  return {
    serviceAccounts,
    authorizer,
    reviewers: reviewers({
      authorizer,
      rbac: roles,
      serviceAccounts,
      identify: (token) => identify(token, verifiers),
      issuer,
    }),
    authenticator: {
      async authenticate(credentials) {
        for (const way of ways) {
          const user = await way.authenticate(credentials);
          if (user !== undefined) return asAuthenticated(user);
        }
        return undefined;
      },
    },
    anonymous: logIn.anonymous,
    documents: await issuerDocuments({
      issuer,
      ...serviceAccounts.verification,
      jwksUri: options.jwksUri,
    }),
    paths: { [joinPath]: joining({ authority: options.authority, objects, server, now }) },
    completions: [
      certificateRequestCompletion,
      accountAdmission(objects),
      classAdmission(objects),
      storageCompletion(objects),
      limitAdmission(objects),
      accountSecrets({
        objects,
        tokens: serviceAccounts,
        authority: options.authority.certificate,
      }),
    ],
    dynamic: [
      policyAdmission(objects),
      ...(options.webhooks === undefined
        ? []
        : [webhookAdmission({ objects, port: options.webhooks })]),
    ],
    admission: [
      nodeRestriction(objects),
      resizeLimits(objects),
      escalationCheck(roles, objects),
      certificateRequestAdmission({ rbac: roles, objects, server, now }),
      expansionAdmission(objects),
      podSecurity(objects, options.podSecurity ?? defaultPodSecurity),
      ...(options.reserved === undefined ? [] : [serviceAddresses(objects, options.reserved)]),
    ],
  };
}

/** Allows what any authorizer allows; a refusal has the reasons of all that gave one. */
function firstToAllow(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(user, attributes) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = await authorizer.authorize(user, attributes);
        if (decision.allowed) return decision;
        if (decision.reason !== undefined) reasons.push(decision.reason);
      }
      return { allowed: false, reason: reasons.join("; ") };
    },
  };
}

async function identify(
  token: string,
  verifiers: readonly TokenVerifier[],
): Promise<User | undefined> {
  for (const verifier of verifiers) {
    const user = await verifier.verify(token);
    if (user !== undefined) return asAuthenticated(user);
  }
  return undefined;
}

function asAuthenticated(user: User): User {
  if (user.groups.includes(authenticated)) return user;
  return { ...user, groups: [...user.groups, authenticated] };
}
