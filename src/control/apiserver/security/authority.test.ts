import "reflect-metadata";
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { createAuthority, openAuthority } from "./authority.ts";

const options = { now: () => new Date("2026-01-01T00:00:00Z") };

test("[API-3] server certificates carry their names and are signed by the root", async () => {
  const pair = await createAuthority("tandem", options);
  const authority = await openAuthority(pair, options);
  const server = await authority.issueServer(
    { commonName: "kube-apiserver" },
    { dnsNames: ["kubernetes.default.svc", "localhost"], addresses: ["10.96.0.1", "fd00::1"] },
  );
  const root = new X509Certificate(pair.certificate);
  const leaf = new X509Certificate(server.certificate);
  assert.ok(root.ca);
  assert.ok(leaf.verify(root.publicKey));
  assert.ok(leaf.checkIssued(root));
  assert.equal(leaf.checkHost("localhost"), "localhost");
  assert.equal(leaf.checkIP("10.96.0.1"), "10.96.0.1");
  assert.equal(leaf.checkIP("fd00::1"), "fd00::1");
  assert.equal(leaf.checkIP("10.96.0.2"), undefined);
  assert.equal(leaf.validToDate.toISOString(), "2027-01-01T00:00:00.000Z");
  assert.match(server.key, /^-----BEGIN PRIVATE KEY-----/);
});

test("[API-3] client certificates carry the user and the groups", async () => {
  const authority = await openAuthority(await createAuthority("tandem", options), options);
  const client = await authority.issueClient({
    commonName: "system:node:a",
    organizations: ["system:nodes", "blue"],
  });
  assert.equal(
    new X509Certificate(client.certificate).subject,
    "O=system:nodes\nO=blue\nCN=system:node:a",
  );
});

test("[API-6] a signed request gets the subject the authority decides on", async () => {
  const authority = await openAuthority(await createAuthority("tandem", options), options);
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: "CN=admin,O=system:masters",
    keys,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
  });
  const certificate = await authority.signClient(request.toString("pem"), {
    commonName: "system:node:b",
  });
  assert.equal(new X509Certificate(certificate).subject, "CN=system:node:b");
});
