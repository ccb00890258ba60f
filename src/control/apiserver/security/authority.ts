// A certificate authority: one self-signed root that signs servers and clients.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A key and its certificate: PEM texts, as they are stored and handed to TLS. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface ServerNames {
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

export interface ServingNames extends ServerNames {
  /** The lifetime; absent: one year, which is also the longest. */
  readonly lifetimeMs?: number | undefined;
}

export interface Authority {
  /** The root certificate (PEM), which clients trust. */
  readonly certificate: string;
  issueServer(subject: Subject, names: ServerNames): Promise<KeyPair>;
  issueClient(subject: Subject): Promise<KeyPair>;
  /** Signs a client's own key; the caller decides the subject, not the request. */
  signClient(request: string, subject: Subject, lifetimeMs?: number): Promise<string>;
  /** Signs the key of a server for these names. */
  signServer(request: string, subject: Subject, names: ServingNames): Promise<string>;
}

export interface AuthorityOptions {
  readonly now: () => Date;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const day = 24 * 60 * 60 * 1000;
const rootLifetime = 3650 * day;
const leafLifetime = 365 * day;
/** The milliseconds by which certificates are backdated: clocks of joining machines may be behind. */
const backdating = 5 * 60 * 1000;

export async function createAuthority(name: string, options: AuthorityOptions): Promise<KeyPair> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: distinguishedName({ commonName: name }),
    serialNumber: serialNumber(),
    ...validity(options.now(), rootLifetime),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await privateKeyPem(keys.privateKey) };
}

export async function openAuthority(pair: KeyPair, options: AuthorityOptions): Promise<Authority> {
  const root = new X509Certificate(pair.certificate);
  const signingKey = await importPrivateKey(pair.key);

  const sign = async (
    subject: Subject,
    publicKey: webcrypto.CryptoKey,
    { extensions, lifetimeMs = leafLifetime }: Extended,
  ): Promise<string> => {
    const certificate = await X509CertificateGenerator.create({
      subject: distinguishedName(subject),
      issuer: root.subject,
      serialNumber: serialNumber(),
      ...validity(options.now(), Math.min(lifetimeMs, leafLifetime)),
      publicKey,
      signingKey,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        await AuthorityKeyIdentifierExtension.create(root),
        ...extensions,
      ],
    });
    return certificate.toString("pem");
  };
  const clientUse = new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]);
  const serverUse = new ExtendedKeyUsageExtension([
    ExtendedKeyUsage.serverAuth,
    ExtendedKeyUsage.clientAuth,
  ]);

  return {
    certificate: pair.certificate,
    async issueServer(subject, names) {
      const keys = await generateKeys();
      const certificate = await sign(subject, keys.publicKey, {
        extensions: [alternatives(names), serverUse],
      });
      return { certificate, key: await privateKeyPem(keys.privateKey) };
    },
    async issueClient(subject) {
      const keys = await generateKeys();
      const certificate = await sign(subject, keys.publicKey, { extensions: [clientUse] });
      return { certificate, key: await privateKeyPem(keys.privateKey) };
    },
    signClient: async (request, subject, lifetimeMs) =>
      await sign(subject, await requestedKey(request), { extensions: [clientUse], lifetimeMs }),
    signServer: async (request, subject, names) =>
      await sign(subject, await requestedKey(request), {
        extensions: [alternatives(names), serverUse],
        lifetimeMs: names.lifetimeMs,
      }),
  };
}

interface Extended {
  readonly extensions: Extension[];
  readonly lifetimeMs?: number | undefined;
}

function alternatives({ dnsNames, addresses }: ServerNames): Extension {
  return new SubjectAlternativeNameExtension([
    ...dnsNames.map((value) => ({ type: "dns" as const, value })),
    ...addresses.map((value) => ({ type: "ip" as const, value })),
  ]);
}

/** Returns the key of a certificate request, whose signature proves that the sender has the private key. */
async function requestedKey(request: string): Promise<webcrypto.CryptoKey> {
  const parsed = new Pkcs10CertificateRequest(request);
  if (!(await parsed.verify())) {
    throw new Error("Cannot sign a certificate request: its own signature is wrong");
  }
  return await parsed.publicKey.export();
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function privateKeyPem(key: CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

async function importPrivateKey(pem: string): Promise<CryptoKey> {
  return await webcrypto.subtle.importKey(
    "pkcs8",
    PemConverter.decodeFirst(pem),
    algorithm,
    false,
    ["sign"],
  );
}

function distinguishedName(subject: Subject): { [type: string]: string[] }[] {
  const organizations = (subject.organizations ?? []).map((organization) => ({
    O: [organization],
  }));
  return [...organizations, { CN: [subject.commonName] }];
}

function validity(now: Date, lifetime: number): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(now.getTime() - backdating),
    notAfter: new Date(now.getTime() + lifetime),
  };
}

function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  // The first byte is between 0x01 and 0x7f: a positive number of a fixed length.
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return Buffer.from(bytes).toString("hex");
}
