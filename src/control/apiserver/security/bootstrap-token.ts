// Tokens with which a machine joins: `abcdef.0123456789abcdef`, kept as a Secret that holds only the
// hash of the second half. 82 bits of randomness need no slow hash.
import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import type { User } from "../access.ts";
import type { TokenVerifier } from "./bearer-token.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";

const namespace = "kube-system";
const secretType = "bootstrap.kubernetes.io/token";
const pattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

export interface BootstrapToken {
  /** What the joining machine is told. */
  readonly token: string;
  /** What is stored. */
  readonly secret: SecretManifest;
}

interface SecretManifest extends SecurityObject {
  readonly apiVersion: "v1";
  readonly kind: "Secret";
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

export interface BootstrapOptions {
  readonly expires: Date;
  readonly description?: string;
}

export function createBootstrapToken(options: BootstrapOptions): BootstrapToken {
  const id = randomText(6);
  const secret = randomText(16);
  const data: Record<string, string> = {
    "token-id": id,
    "token-secret-hash": hashOf(secret).toString("hex"),
    expiration: options.expires.toISOString(),
    "usage-bootstrap-authentication": "true",
    ...(options.description === undefined ? {} : { description: options.description }),
  };
  return {
    token: `${id}.${secret}`,
    secret: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `bootstrap-token-${id}`, namespace },
      type: secretType,
      data: Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
      ),
    },
  };
}

export function bootstrapTokens(objects: ObjectReader, now: () => Date): TokenVerifier {
  return {
    verify(token): User | undefined {
      const [, id, secret] = pattern.exec(token) ?? [];
      if (id === undefined || secret === undefined) return undefined;
      const data = decode(objects.get("secrets", namespace, `bootstrap-token-${id}`));
      if (data === undefined || !matches(data, secret) || isExpired(data, now())) return undefined;
      const extraGroups = (data["auth-extra-groups"] ?? "").split(",").filter((group) => group);
      return {
        name: `system:bootstrap:${id}`,
        groups: ["system:bootstrappers", ...extraGroups],
      };
    },
  };
}

function decode(secret: SecurityObject | undefined): Record<string, string> | undefined {
  if (secret === undefined) return undefined;
  const { type, data } = secret as Partial<SecretManifest>;
  if (type !== secretType || data === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

function matches(data: Record<string, string>, secret: string): boolean {
  if (data["usage-bootstrap-authentication"] !== "true") return false;
  const stored = Buffer.from(data["token-secret-hash"] ?? "", "hex");
  const given = hashOf(secret);
  return stored.length === given.length && timingSafeEqual(stored, given);
}

/** A token without a readable expiry is taken as expired. */
function isExpired(data: Record<string, string>, now: Date): boolean {
  const expires = Date.parse(data.expiration ?? "");
  return Number.isNaN(expires) || expires <= now.getTime();
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
