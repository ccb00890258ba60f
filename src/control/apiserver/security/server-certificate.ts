// The server's own certificate, kept in its data directory and issued again when the names or the root have
// changed, or when it is about to expire.
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../../../base/host/files.ts";
import type { Authority, KeyPair, ServerNames } from "./authority.ts";

const day = 24 * 60 * 60 * 1000;
const renewBefore = 30 * day;

export interface ServerCertificateOptions {
  readonly files: Files;
  readonly directory: string;
  readonly authority: Authority;
  readonly names: ServerNames;
  readonly now: () => Date;
}

export async function serverCertificate(options: ServerCertificateOptions): Promise<KeyPair> {
  const { files, directory, authority, names } = options;
  const paths = { certificate: join(directory, "server.crt"), key: join(directory, "server.key") };
  const certificate = await files.read(paths.certificate);
  const key = await files.read(paths.key);
  if (certificate !== undefined && key !== undefined) {
    const pair = { certificate, key };
    if (isUsable(parse(paths.certificate, certificate), options)) return pair;
  }
  await files.makePrivateDirectory(directory);
  const issued = await authority.issueServer({ commonName: "kube-apiserver" }, names);
  await files.write(paths.key, issued.key, { mode: 0o600 });
  await files.write(paths.certificate, issued.certificate);
  await files.write(join(directory, "ca.crt"), authority.certificate);
  return issued;
}

/** Parses a certificate; the error names the file. */
function parse(path: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    const message = `Cannot read the server's certificate ${path}: it is no PEM certificate; remove it and its key to have them made anew`;
    throw new Error(message, { cause: error });
  }
}

function isUsable(
  certificate: X509Certificate,
  { authority, names, now }: ServerCertificateOptions,
): boolean {
  return (
    certificate.checkIssued(new X509Certificate(authority.certificate)) &&
    certificate.validToDate.getTime() - now().getTime() > renewBefore &&
    names.dnsNames.every((name) => certificate.checkHost(name) !== undefined) &&
    names.addresses.every((address) => certificate.checkIP(address) !== undefined)
  );
}
