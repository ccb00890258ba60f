// A key that never leaves the node, and the request (PKCS #10) to have it certified. What the
// certificate will say is for the server to decide, so that the request asks for nothing. Written out
// here, since a library for certificates takes every node 17 MB for these few bytes.
import { createSign, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

export interface CertificateRequest {
  /** PEM, both. */
  readonly request: string;
  readonly key: string;
}

const generate = promisify(generateKeyPair);

export async function createCertificateRequest(): Promise<CertificateRequest> {
  const { publicKey, privateKey } = await generate("ec", { namedCurve: "P-256" });
  const asked = requested(publicKey);
  const signature = createSign("sha256").update(asked).sign(privateKey);
  const request = sequence(asked, sequence(ecdsaWithSha256), bits(signature));
  return {
    request: pem("CERTIFICATE REQUEST", request),
    // The form that all clients read who use the node's kubeconfig.
    key: privateKey.export({ type: "sec1", format: "pem" }),
  };
}

/** Version 0, no name, the key, no attributes. */
function requested(publicKey: KeyObject): Buffer {
  const version = element(0x02, Buffer.of(0));
  const key = publicKey.export({ type: "spki", format: "der" });
  return sequence(version, sequence(), key, element(0xa0));
}

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = element(0x06, Buffer.from("2a8648ce3d040302", "hex"));

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts);
}

/** A whole number of bytes. */
function bits(content: Buffer): Buffer {
  return element(0x03, Buffer.of(0), content);
}

/** Tag, length, content. From 128 bytes on the length has a length. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const sizes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...sizes), content]);
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
