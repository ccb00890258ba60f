// Bootstrap tokens, with which a machine joins: `abcdef.0123456789abcdef`, kept as a Secret that holds only
// the hash of the second half. 82 bits of randomness need no slow hash. Secrets that kubeadm wrote hold the
// second half itself.

import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { defined } from "../../../base/json/defined.ts";
import type { User } from "../access.ts";
import type { TokenVerifier } from "./bearer-token.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";

const namespace = "kube-system";
const secretType = "bootstrap.kubernetes.io/token";
const pattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
/** The extra groups a token may have; a writer of Secrets must not be able to grant any other. */
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

export interface BootstrapToken {
  /** The token for the joining machine. */
  readonly token: string;
  /** The Secret that is stored. */
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
  /** The groups besides that of all tokens, each below `system:bootstrappers:`. */
  readonly groups?: readonly string[];
}

export function createBootstrapToken(options: BootstrapOptions): BootstrapToken {
  const id = randomText(6);
  const secret = randomText(16);
  const data: Record<string, string> = {
    "token-id": id,
    "token-secret-hash": hashOf(secret).toString("hex"),
    expiration: options.expires.toISOString(),
    "usage-bootstrap-authentication": "true",
    ...defined({ description: options.description }),
    ...(options.groups !== undefined && { "auth-extra-groups": options.groups.join(",") }),
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
      const data = decode(objects.get("secrets", namespace, `bootstrap-token-${id}`), id);
      if (data === undefined || !matches(data, secret) || isExpired(data, now())) return undefined;
      const text = data["auth-extra-groups"] ?? "";
      const extraGroups = text === "" ? [] : text.split(",");
      if (!extraGroups.every((group) => extraGroup.test(group))) return undefined;
      return {
        name: `system:bootstrap:${id}`,
        groups: [...new Set(["system:bootstrappers", ...extraGroups])],
      };
    },
  };
}

/** Decodes a Secret; `undefined` when it is no bootstrap token, has another id, or is being deleted. */
function decode(
  secret: SecurityObject | undefined,
  id: string,
): Record<string, string> | undefined {
  if (secret === undefined || secret.metadata?.deletionTimestamp !== undefined) return undefined;
  const { type, data } = secret as Partial<SecretManifest>;
  if (type !== secretType || data === undefined) return undefined;
  const decoded = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
  return decoded["token-id"] === id ? decoded : undefined;
}

function matches(data: Record<string, string>, secret: string): boolean {
  if (data["usage-bootstrap-authentication"] !== "true") return false;
  const plain = data["token-secret"];
  const stored =
    plain === undefined ? Buffer.from(data["token-secret-hash"] ?? "", "hex") : hashOf(plain);
  const given = hashOf(secret);
  return stored.length === given.length && timingSafeEqual(stored, given);
}

/** Returns whether a token has expired; one without a valid expiry counts as expired. */
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
