import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemFiles } from "../../base/host/files.system.ts";
import { etcdCertificates } from "./etcd-certificates.ts";
import { resolveSettings } from "./settings.ts";
import { topologyOf } from "./topology.ts";

const { servers } = topologyOf(resolveSettings({ name: "x", controlPlanes: 3 }));

test("every member has a certificate for its name and addresses, whose key nobody else reads", async () => {
  await inDirectory(async (directory) => {
    const issued = await etcdCertificates(directory, servers, systemFiles);
    assert.deepEqual([...issued.keys()], ["control-plane-1", "control-plane-2", "control-plane-3"]);
    for (const { name, addresses } of servers) {
      const paths = issued.get(name);
      assert.ok(paths !== undefined);
      const certificate = await read(paths.certificate);
      assert.ok(certificate.verify((await read(paths.authority)).publicKey));
      assert.equal(certificate.checkHost(name), name);
      for (const { address } of addresses) {
        assert.notEqual(certificate.checkIP(String(address)), undefined, `${name} ${address}`);
      }
      for (const secret of [paths.key, join(directory, "ca.key")]) {
        assert.equal((await stat(secret)).mode & 0o777, 0o600, secret);
      }
    }
  });
});

test("certificates are new at every start, and of the same authority", async () => {
  await inDirectory(async (directory) => {
    const ofFirst = async () => {
      const paths = (await etcdCertificates(directory, servers, systemFiles)).get(
        "control-plane-1",
      );
      assert.ok(paths !== undefined);
      const [certificate, authority] = [paths.certificate, paths.authority].map(read);
      return { certificate: await certificate, authority: await authority };
    };
    const [before, after] = [await ofFirst(), await ofFirst()];
    assert.notEqual(before.certificate?.fingerprint256, after.certificate?.fingerprint256);
    assert.equal(before.authority?.fingerprint256, after.authority?.fingerprint256);
  });
});

async function read(path: string): Promise<X509Certificate> {
  return new X509Certificate((await systemFiles.read(path)) ?? "");
}

async function inDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tandem-etcd-pki-"));
  try {
    await use(join(directory, "pki"));
  } finally {
    await rm(directory, { recursive: true });
  }
}
