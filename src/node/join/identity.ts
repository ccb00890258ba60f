// The identity of a node: two certificates with their keys and the cluster's root, in a directory that only
// its owner can enter. A certificate and its key are one file, so that no crash separates them; a kubeconfig
// beside them is the node's own.
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../../base/host/files.ts";

export interface KeyPair {
  /** The certificate and its key, both in PEM. */
  readonly certificate: string;
  readonly key: string;
}

export interface Identity {
  /** The PEM certificate of the root. */
  readonly authority: string;
  readonly client: KeyPair;
  readonly serving: KeyPair;
}

export interface IdentityStore {
  /** The path of the kubeconfig with which the node finds its cluster again. */
  readonly kubeconfig: string;
  /** The path of the root's certificate. */
  readonly authority: string;
  /** Reads the identity; `undefined` if there is none, or only a part of it. */
  read(): Promise<Identity | undefined>;
  write(identity: Identity, server: URL): Promise<void>;
}

export function openIdentityStore(files: Files, directory: string): IdentityStore {
  const paths = {
    authority: join(directory, "ca.crt"),
    client: join(directory, "client.pem"),
    serving: join(directory, "serving.pem"),
    kubeconfig: join(directory, "kubeconfig"),
  };
  return {
    kubeconfig: paths.kubeconfig,
    authority: paths.authority,
    async read() {
      const [authority, client, serving] = await Promise.all([
        files.read(paths.authority),
        files.read(paths.client).then(pairIn),
        files.read(paths.serving).then(pairIn),
      ]);
      if (authority === undefined || client === undefined || serving === undefined)
        return undefined;
      return { authority, client, serving };
    },
    async write({ authority, client, serving }, server) {
      await files.makePrivateDirectory(directory);
      await files.write(paths.authority, authority);
      await files.write(paths.serving, `${serving.certificate}\n${serving.key}`, { mode: 0o600 });
      await files.write(paths.client, `${client.certificate}\n${client.key}`, { mode: 0o600 });
      await files.write(paths.kubeconfig, kubeconfig(server, paths), { mode: 0o600 });
    },
  };
}

/** Returns when two thirds of the certificate's validity are over. */
export function renewalTime({ certificate }: KeyPair): Date {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return new Date(from + (2 * (to - from)) / 3);
}

export function isExpired({ certificate }: KeyPair, now: number): boolean {
  return new X509Certificate(certificate).validToDate.getTime() <= now;
}

/** Whether the certificate is valid for serving at all of these addresses. */
export function coversAddresses({ certificate }: KeyPair, addresses: readonly string[]): boolean {
  const parsed = new X509Certificate(certificate);
  return addresses.every((address) => parsed.checkIP(address) !== undefined);
}

function pairIn(text: string | undefined): KeyPair | undefined {
  const blocks = text?.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];
  const key = blocks.find((block) => block.includes("PRIVATE KEY"));
  const certificates = blocks.filter((block) => block.includes("BEGIN CERTIFICATE"));
  if (key === undefined || certificates.length === 0) return undefined;
  return { certificate: certificates.join("\n"), key };
}

/** Returns a kubeconfig in JSON, which is valid YAML. */
function kubeconfig(server: URL, paths: { authority: string; client: string }): string {
  const user = { "client-certificate": paths.client, "client-key": paths.client };
  const cluster = { server: server.origin, "certificate-authority": paths.authority };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "tandem", cluster }],
    users: [{ name: "node", user }],
    contexts: [{ name: "node@tandem", context: { cluster: "tandem", user: "node" } }],
    "current-context": "node@tandem",
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
