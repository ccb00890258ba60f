// Service account tokens: JWTs that the server signs itself, valid as long as the account exists, and the
// pod, secret or node they are bound to.

import { createHash, createPublicKey, generateKeyPairSync, randomUUID } from "node:crypto";
import { importPKCS8, importSPKI, jwtVerify, SignJWT } from "jose";
import { defined } from "../../../base/json/defined.ts";
import type { User } from "../access.ts";
import type { TokenVerifier } from "./bearer-token.ts";
import type { ObjectReader } from "./objects.ts";

const algorithm = "ES256";

export interface ServiceAccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: Named;
  readonly secret?: Named;
  readonly node?: Named;
}

interface Named {
  readonly name: string;
  readonly uid: string;
}

export interface TokenRequest {
  readonly audiences: readonly string[];
  readonly lifetimeSeconds: number;
}

export interface ServiceAccountTokens extends TokenVerifier {
  /** The public key by which others verify the tokens. */
  readonly verification: {
    /** The key, as PEM. */
    readonly publicKey: string;
    readonly keyId: string;
    readonly algorithm: string;
  };
  issue(
    identity: ServiceAccountIdentity,
    request: TokenRequest,
  ): Promise<{ token: string; expires: Date }>;
  /** Verifies a token for any of these audiences, for token reviews. */
  verifyFor(token: string, audiences: readonly string[]): Promise<User | undefined>;
}

export interface ServiceAccountOptions {
  /** The private key: PEM, PKCS #8. */
  readonly key: string;
  readonly issuer: string;
  readonly objects: ObjectReader;
  readonly now: () => Date;
}

interface KubernetesClaim {
  readonly namespace?: string;
  readonly serviceaccount?: { readonly name?: string; readonly uid?: string };
  readonly pod?: Named;
  readonly secret?: Named;
  readonly node?: Named;
}

export function generateServiceAccountKey(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
    type: "pkcs8",
    format: "pem",
  });
}

export async function serviceAccountTokens(
  options: ServiceAccountOptions,
): Promise<ServiceAccountTokens> {
  const { issuer, objects, now } = options;
  const privateKey = await importPKCS8(options.key, algorithm);
  const publicObject = createPublicKey(options.key);
  const publicPem = publicObject.export({ type: "spki", format: "pem" });
  const keyId = createHash("sha256")
    .update(publicObject.export({ type: "spki", format: "der" }))
    .digest("base64url");
  const publicKey = await importSPKI(publicPem, algorithm);

  const verifyFor = async (
    token: string,
    audiences: readonly string[],
  ): Promise<User | undefined> => {
    if (token.split(".").length !== 3) return undefined;
    const verified = await jwtVerify(token, publicKey, {
      issuer,
      audience: [...audiences],
      algorithms: [algorithm],
      currentDate: now(),
    }).catch(notOurs);
    if (verified === undefined) return undefined;
    const { jti, "kubernetes.io": claim } = verified.payload;
    return userOf(claim as KubernetesClaim | undefined, { objects, jti });
  };

  return {
    verification: { publicKey: publicPem, keyId, algorithm },
    async issue(identity, request) {
      const issuedAt = Math.floor(now().getTime() / 1000);
      const expiresAt = issuedAt + request.lifetimeSeconds;
      const { namespace, name, uid, pod, secret, node } = identity;
      const audience = request.audiences.length > 0 ? [...request.audiences] : [issuer];
      const claim: KubernetesClaim = {
        namespace,
        serviceaccount: { name, uid },
        ...defined({ pod, secret, node }),
      };
      const token = await new SignJWT({ "kubernetes.io": claim })
        .setProtectedHeader({ alg: algorithm, kid: keyId })
        .setJti(randomUUID())
        .setIssuer(issuer)
        .setSubject(`system:serviceaccount:${namespace}:${name}`)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setNotBefore(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(privateKey);
      return { token, expires: new Date(expiresAt * 1000) };
    },
    verify: (token) => verifyFor(token, [issuer]),
    verifyFor,
  };
}

/** Ignores errors of invalid tokens (expired, forged or of another issuer); rethrows any other. */
function notOurs(error: unknown): undefined {
  if (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_J")) {
    return undefined;
  }
  throw error;
}

function userOf(
  claim: KubernetesClaim | undefined,
  { objects, jti }: { readonly objects: ObjectReader; readonly jti: string | undefined },
): User | undefined {
  const { namespace, serviceaccount, pod, secret, node } = claim ?? {};
  if (namespace === undefined || serviceaccount?.name === undefined) return undefined;
  const account = objects.get("serviceaccounts", namespace, serviceaccount.name);
  if (account?.metadata?.uid !== serviceaccount.uid) return undefined;
  const lives = (resource: string, where: string, named: Named | undefined): boolean =>
    named === undefined || objects.get(resource, where, named.name)?.metadata?.uid === named.uid;
  const isBoundToLiving =
    lives("pods", namespace, pod) &&
    lives("secrets", namespace, secret) &&
    // A living pod is enough, whatever has become of its Node object.
    (pod !== undefined || lives("nodes", "", node));
  if (!isBoundToLiving) return undefined;
  return {
    name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    ...defined({ uid: serviceaccount.uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    ...withExtra({
      "credential-id": jti === undefined ? undefined : `JTI=${jti}`,
      "node-name": node?.name,
      "node-uid": node?.uid,
      "pod-name": pod?.name,
      "pod-uid": pod?.uid,
    }),
  };
}

/** Returns the extra fields of a token's user, for audits and token reviews. */
function withExtra(facts: Readonly<Record<string, string | undefined>>): Pick<User, "extra"> {
  const known = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [[`authentication.kubernetes.io/${name}`, [value]] as const],
  );
  return known.length === 0 ? {} : { extra: Object.fromEntries(known) };
}
