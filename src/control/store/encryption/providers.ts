// Encryption providers, in Kubernetes' layout: `k8s:enc:aesgcm:v1:NAME:`, then the ciphertext.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { nonceLength, open, seal } from "./secretbox.ts";

export interface Provider {
  /** The prefix of values that this provider writes; empty for unencrypted ones. */
  readonly prefix: string;
  /** Encrypts a value. It is bound to `key`, so that it cannot be moved to another key. */
  encrypt(value: Uint8Array, key: string): Uint8Array;
  /** Decrypts a value without its prefix. Throws if it was changed or moved. */
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
