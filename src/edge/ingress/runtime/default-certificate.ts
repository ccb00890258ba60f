// The certificate for hosts without one: no client trusts it, but TLS handshakes succeed.
import "reflect-metadata";
import { randomUUID, webcrypto } from "node:crypto";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import type { Clock } from "../../../base/host/clock.ts";
import { type Certificate, certificateOf } from "../plan/certificate.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const day = 24 * 60 * 60 * 1000;
const lifetime = 3650 * day;
const name = "ingress.tandem.internal";

export async function createDefaultCertificate(clock: Clock): Promise<Certificate> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const now = clock.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    serialNumber: randomUUID().replaceAll("-", "").replace(/^./, "1"),
    notBefore: new Date(now - day),
    notAfter: new Date(now + lifetime),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: name }])],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const lines = key.toString("base64").match(/.{1,64}/g) ?? [];
  const pem = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
  return certificateOf(certificate.toString("pem"), pem);
}
