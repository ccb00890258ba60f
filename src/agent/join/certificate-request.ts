// A key that never leaves the node, and the request to have it certified. What the certificate will
// say is for the server to decide, so that the request asks for nothing.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { PemConverter, Pkcs10CertificateRequestGenerator } from "@peculiar/x509";

export interface CertificateRequest {
  /** PEM, both. */
  readonly request: string;
  readonly key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export async function createCertificateRequest(): Promise<CertificateRequest> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: "CN=node",
    keys,
    signingAlgorithm: algorithm,
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { request: made.toString("pem"), key: PemConverter.encode(key, "PRIVATE KEY") };
}
