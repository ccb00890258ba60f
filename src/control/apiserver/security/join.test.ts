import "reflect-metadata";
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { createAuthority, openAuthority } from "./authority.ts";
import { joining } from "./join.ts";
import { fixedObjects } from "./testing/fixed-objects.ts";

const options = { now: () => new Date("2026-01-01T00:00:00Z") };

const server = {
  dnsNames: ["localhost", "kubernetes", "machine"],
  addresses: [],
  hostName: "machine",
};

async function request(): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" };
  const made = await Pkcs10CertificateRequestGenerator.create({ name: "", keys, signingAlgorithm });
  return made.toString("pem");
}

test("[API-6] a token makes any node, a node's certificate its next one and no other's", async () => {
  const authority = await openAuthority(await createAuthority("tandem", options), options);
  const join = joining({ ...options, authority, objects: fixedObjects({}), server });
  const body = {
    nodeName: "a",
    addresses: ["10.0.0.1", "fd00::1"],
    clientRequest: await request(),
    servingRequest: await request(),
  };
  const node = (name: string) => ({ name: `system:node:${name}`, groups: ["system:nodes"] });
  for (const user of [
    { name: "system:bootstrap:x", groups: ["system:bootstrappers"] },
    node("a"),
  ]) {
    const { clientCertificate, servingCertificate } = await join(body, user);
    const { subject } = new X509Certificate(clientCertificate);
    assert.equal(subject, "O=system:nodes\nCN=system:node:a");
    assert.equal(new X509Certificate(servingCertificate).checkIP("fd00::1"), "fd00::1");
  }
  for (const user of [node("b"), { name: "system:node:a", groups: ["system:masters"] }]) {
    await assert.rejects(join(body, user), /the node itself/);
  }
});
