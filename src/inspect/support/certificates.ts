// Certificates in words: whose they are and until when, without keys.

import { X509Certificate } from "node:crypto";

/** Describes each certificate of a PEM file in one line. */
export function describeCertificates(path: string, pem: string): string {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return found.map((text) => `${path}: ${describe(text)}\n`).join("");
}

function describe(text: string): string {
  try {
    const { subject, issuer, validFrom, validTo, subjectAltName } = new X509Certificate(text);
    const names = subjectAltName === undefined ? "" : `, for ${subjectAltName}`;
    return `${flat(subject)}, by ${flat(issuer)}, from ${validFrom} to ${validTo}${names}`;
  } catch (error) {
    return `unreadable (${(error as Error).message})`;
  }
}

function flat(name: string): string {
  return name.replaceAll("\n", "/");
}
