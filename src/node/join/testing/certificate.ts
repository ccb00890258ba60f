import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { X509CertificateGenerator } from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Returns a self-signed certificate in PEM. */
export async function certificateFor(
  commonName: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    notBefore: new Date(from),
    notAfter: new Date(to),
    keys,
    signingAlgorithm: algorithm,
  });
  return made.toString("pem");
}
