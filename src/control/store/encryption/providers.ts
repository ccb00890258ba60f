// How values are encrypted, in the layout of Kubernetes: `k8s:enc:aesgcm:v1:NAME:` and what follows.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { nonceLength, open, seal } from "./secretbox.ts";

export interface Provider {
  /** What the values it writes begin with; nothing for those that are not encrypted. */
  readonly prefix: string;
  /** `key` is bound to the value: it cannot be put in another's place. */
  encrypt(value: Uint8Array, key: string): Uint8Array;
  /** Of a value without its prefix. Throws when it is not what was written there. */
  decrypt(value: Uint8Array, key: string): Uint8Array;
}

export const identity: Provider = {
  prefix: "",
  encrypt: (value) => value,
  decrypt: (value) => value,
};

const gcmNonce = 12;
const gcmTag = 16;

export function aesgcm(name: string, secret: Buffer): Provider {
  const cipher = `aes-${secret.length * 8}-gcm` as "aes-256-gcm";
  return {
    prefix: `k8s:enc:aesgcm:v1:${name}:`,
    encrypt(value, key) {
      const nonce = randomBytes(gcmNonce);
      const made = createCipheriv(cipher, secret, nonce).setAAD(Buffer.from(key));
      return Buffer.concat([nonce, made.update(value), made.final(), made.getAuthTag()]);
    },
    decrypt(value, key) {
      const made = createDecipheriv(cipher, secret, value.subarray(0, gcmNonce));
      made.setAAD(Buffer.from(key)).setAuthTag(value.subarray(-gcmTag));
      return Buffer.concat([made.update(value.subarray(gcmNonce, -gcmTag)), made.final()]);
    },
  };
}

export function secretbox(name: string, secret: Buffer): Provider {
  return {
    prefix: `k8s:enc:secretbox:v1:${name}:`,
    encrypt(value) {
      const nonce = randomBytes(nonceLength);
      return Buffer.concat([nonce, seal(value, nonce, secret)]);
    },
    decrypt(value) {
      const message = open(value.subarray(nonceLength), value.subarray(0, nonceLength), secret);
      if (message === undefined)
        throw new Error("the value was changed, or the key is another one");
      return message;
    },
  };
}
