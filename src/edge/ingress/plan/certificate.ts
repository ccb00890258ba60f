import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import type { Secret } from "../../../api/types/core.ts";
import { UnfitValue } from "./problem.ts";

export interface Certificate {
  /** The name, a hash of the content: another certificate has another name. */
  readonly name: string;
  /** The certificate chain and the key. */
  readonly pem: string;
}

/** Parses and re-encodes a secret, so that nothing but certificates and a key gets into the file. */
export function readCertificate({ data = {} }: Secret): Certificate {
  return certificateOf(decode(data["tls.crt"]), decode(data["tls.key"]));
}

export function certificateOf(chainText: string, keyText: string): Certificate {
  const blocks =
    chainText.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const [first] = blocks;
  if (first === undefined) throw new UnfitValue("tls.crt has no certificate in PEM");
  const chain = blocks.map((block) => parse("tls.crt", () => new X509Certificate(block)));
  const key = parse("tls.key", () => createPrivateKey(keyText));
  if (chain[0]?.checkPrivateKey(key) !== true) {
    throw new UnfitValue("tls.key is not the key of the first certificate in tls.crt");
  }
  const pem = `${chain.join("")}${key.export({ type: "pkcs8", format: "pem" })}`;
  return { name: createHash("sha256").update(pem).digest("hex").slice(0, 32), pem };
}

function decode(base64: string | undefined): string {
  return Buffer.from(base64 ?? "", "base64").toString("latin1");
}

function parse<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UnfitValue(`${field} cannot be read: ${error.message}`);
  }
}
