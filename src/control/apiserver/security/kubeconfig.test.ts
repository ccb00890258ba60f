import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { parse } from "yaml";
import { createAuthority, openAuthority } from "./authority.ts";
import { kubeconfig } from "./kubeconfig.ts";

test("[API-3] the key in a kubeconfig has the form that every client reads, and fits the certificate", async () => {
  const now = () => new Date();
  const authority = await openAuthority(await createAuthority("tandem", { now }), { now });
  const client = await authority.issueClient({ commonName: "kubernetes-admin" });
  const text = kubeconfig({
    cluster: "tandem",
    user: "kubernetes-admin",
    server: "https://127.0.0.1:6443",
    authority: authority.certificate,
    client,
  });
  const { users } = parse(text) as { users: { user: Record<string, string> }[] };
  const decoded = (name: string) => Buffer.from(users[0]?.user[name] ?? "", "base64").toString();
  const key = decoded("client-key-data");
  assert.match(key, /^-----BEGIN EC PRIVATE KEY-----\n/);
  const certificate = new X509Certificate(decoded("client-certificate-data"));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(key)));
});
