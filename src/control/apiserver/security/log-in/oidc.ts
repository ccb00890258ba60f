// OpenID Connect: authenticates ID tokens of issuers that the operator configured.

import { decodeJwt, type JWTPayload, jwtVerify } from "jose";
import { defined } from "../../../../base/json/defined.ts";
import type { Log } from "../../../../base/program/log.ts";
import type { User } from "../../access.ts";
import type { TokenVerifier } from "../bearer-token.ts";
import type { IssuerSettings } from "./configuration.ts";
import { IssuerKeys } from "./issuer-keys.ts";

/** The accepted algorithms, all asymmetric: with HMAC, the issuer's public key itself could sign tokens. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
];

export interface OidcOptions {
  readonly now: () => Date;
  readonly log?: Log | undefined;
}

export function oidcTokens(settings: IssuerSettings, { now, log }: OidcOptions): TokenVerifier {
  const keys = new IssuerKeys({ ...settings, now });
  return {
    async verify(token) {
      if (issuerOf(token) !== settings.url) return undefined;
      try {
        const { payload } = await jwtVerify(token, keys.find, {
          issuer: settings.url,
          audience: [...settings.audiences],
          algorithms,
          currentDate: now(),
          requiredClaims: ["exp"],
        });
        return userOf(payload, settings);
      } catch (error) {
        if (!isBadToken(error)) {
          log?.warn("Cannot verify a token", { issuer: settings.url, error });
        }
        return undefined;
      }
    },
  };
}

/** Returns the issuer that an unverified token claims; it only selects the keys to try. */
function issuerOf(token: string): string | undefined {
  if (token.split(".").length !== 3) return undefined;
  try {
    return decodeJwt(token).iss;
  } catch (error) {
    if (isBadToken(error)) return undefined;
    throw error;
  }
}

function isBadToken(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_J");
}

function userOf(claims: JWTPayload, settings: IssuerSettings): User | undefined {
  const { username, groups, uidClaim, requiredClaims } = settings;
  const name = claims[username.claim];
  if (typeof name !== "string" || name === "") return undefined;
  // An e-mail address that is not verified could be anybody's.
  const verified = claims["email_verified"];
  if (username.claim === "email" && verified !== undefined && verified !== true) return undefined;
  if (!requiredClaims.every(({ claim, value }) => claims[claim] === value)) return undefined;
  const listed = groups === undefined ? [] : textsOf(claims[groups.claim]);
  const uid = uidClaim === undefined ? undefined : claims[uidClaim];
  if (listed === undefined || (uid !== undefined && typeof uid !== "string")) return undefined;
  const { jti } = claims;
  return {
    name: `${username.prefix}${name}`,
    groups: listed.map((group) => `${groups?.prefix ?? ""}${group}`),
    ...defined({ uid }),
    ...(jti === undefined
      ? {}
      : { extra: { "authentication.kubernetes.io/credential-id": [`JTI=${jti}`] } }),
  };
}

/** Returns a text or a list of texts as a list; `undefined` for anything else. */
function textsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((one) => typeof one === "string");
  return texts.length === value.length ? texts : undefined;
}
