// Parses a PKCS #10 request and verifies that its sender holds the private key.
import "reflect-metadata";
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { Address } from "../../../base/net/address.ts";

export interface RequestedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  /** The subject alternative names of other kinds. */
  readonly others: readonly { readonly kind: string; readonly value: string }[];
}

/** Decodes the base64 of a CertificateSigningRequest to PEM. Throws when it is none. */
export function requestText(base64: string): string {
  const text = Buffer.from(base64, "base64").toString("latin1");
  const [, block] =
    /(-----BEGIN CERTIFICATE REQUEST-----\r?\n[A-Za-z0-9+/=\s]+-----END CERTIFICATE REQUEST-----)/.exec(
      text,
    ) ?? [];
  if (block === undefined) throw new Error("PEM block type must be CERTIFICATE REQUEST");
  return block;
}

/** Parses a request; throws when the text is none. */
export function readRequest(pem: string): RequestedCertificate {
  const parsed = new Pkcs10CertificateRequest(pem);
  const names = parsed.extensions.flatMap((extension) =>
    extension instanceof SubjectAlternativeNameExtension ? extension.names.items : [],
  );
  const of = (kind: string) => names.filter(({ type }) => type === kind).map(({ value }) => value);
  return {
    commonName: parsed.subjectName.getField("CN")[0] ?? "",
    organizations: parsed.subjectName.getField("O"),
    dnsNames: of("dns"),
    addresses: of("ip").map((text) => Address.tryParse(text)?.toString() ?? text),
    others: names
      .filter(({ type }) => type !== "dns" && type !== "ip")
      .map(({ type, value }) => ({ kind: type, value })),
  };
}

export async function isSignedByItsKey(pem: string): Promise<boolean> {
  return await new Pkcs10CertificateRequest(pem).verify();
}

const nodePrefix = "system:node:";
const clientUsages = ["client auth", "digital signature", "key encipherment"];
const servingUsages = ["digital signature", "key encipherment", "server auth"];

/** Returns why this is no valid request of a node for its client certificate. */
export function nodeClientFault(
  asked: RequestedCertificate,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(asked)) return "subject organization is not system:nodes";
  if (asked.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (asked.addresses.length > 0) return "IP subjectAltNames are not allowed";
  return (
    otherNames(asked) ??
    (asked.commonName.startsWith(nodePrefix)
      ? usageFault(usages, clientUsages)
      : "subject common name does not begin with system:node:")
  );
}

/** Returns why this is no valid request of a node for its serving certificate. */
export function nodeServingFault(
  asked: RequestedCertificate,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(asked)) return "subject organization is not system:nodes";
  if (asked.dnsNames.length + asked.addresses.length === 0) {
    return "DNS or IP subjectAltName is required";
  }
  return (
    otherNames(asked) ??
    usageFault(usages, servingUsages) ??
    (asked.commonName.startsWith(nodePrefix)
      ? undefined
      : "subject common name does not begin with system:node:")
  );
}

/** Returns why a client certificate cannot be signed. */
export function clientFault(usages: readonly string[]): string | undefined {
  if (!usages.includes("client auth")) return "usages did not contain client auth";
  const other = usages.find((usage) => !clientUsages.includes(usage));
  return other && `usage ${JSON.stringify(other)} is not allowed`;
}

function isOfNodes({ organizations }: RequestedCertificate): boolean {
  return organizations.length === 1 && organizations[0] === "system:nodes";
}

function otherNames({ others }: RequestedCertificate): string | undefined {
  const kinds = others.map(({ kind }) => kind);
  if (kinds.includes("email")) return "Email subjectAltNames are not allowed";
  if (kinds.includes("url")) return "URI subjectAltNames are not allowed";
  return kinds.length > 0 ? `${kinds[0]} subjectAltNames are not allowed` : undefined;
}

/** Compares usages; key encipherment is optional, since keys that only sign do not need it. */
function usageFault(usages: readonly string[], needed: readonly string[]): string | undefined {
  const asked = new Set(usages);
  const least = needed.filter((usage) => usage !== "key encipherment");
  const fits = [needed, least].some(
    (set) => set.length === asked.size && set.every((usage) => asked.has(usage)),
  );
  return fits ? undefined : `usages did not match [${needed.join(" ")}]`;
}
