// A key that never leaves the node, and a request (PKCS #10) to have it certified. The server decides what
// the certificate says, so the request asks for nothing. It is encoded here, since a library for certificates
// would take 17 MB of memory on every node for these few bytes.
import { createSign, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

export interface CertificateRequest {
  /** The request and its key, both in PEM. */
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
    // SEC1 is the format that all clients of the node's kubeconfig can read.
    key: privateKey.export({ type: "sec1", format: "pem" }),
  };
}

/** Returns the body of the request: version 0, no name, the key, no attributes. */
function requested(publicKey: KeyObject): Buffer {
  const version = element(0x02, Buffer.of(0));
  const key = publicKey.export({ type: "spki", format: "der" });
  return sequence(version, sequence(), key, element(0xa0));
}

/** The object identifier 1.2.840.10045.4.3.2. */
const ecdsaWithSha256 = element(0x06, Buffer.from("2a8648ce3d040302", "hex"));

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts);
}

/** Returns a BIT STRING of whole bytes. */
function bits(content: Buffer): Buffer {
  return element(0x03, Buffer.of(0), content);
}

/**
 * Returns a DER element: tag, length, content. From 128 bytes on the length is itself prefixed by its size.
 */
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
