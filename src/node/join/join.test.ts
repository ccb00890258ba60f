import "reflect-metadata";
import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { describe, test } from "node:test";
import { Pkcs10CertificateRequest } from "@peculiar/x509";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeFiles } from "../../base/host/files.fake.ts";
import { createLog } from "../../base/program/log.ts";
import { createCertificateRequest } from "./certificate-request.ts";
import { type Identity, openIdentityStore, renewalTime } from "./identity.ts";
import { keepIdentity } from "./keep-identity.ts";
import { certificateFor } from "./testing/certificate.ts";

const year = 365 * 24 * 3_600_000;
const server = new URL("https://192.0.2.1:6443");

async function identity(from: number): Promise<Identity> {
  const { key } = await createCertificateRequest();
  const certificate = await certificateFor("system:node:worker", { from, to: from + year });
  return { authority: certificate, client: { certificate, key }, serving: { certificate, key } };
}

test("a certificate request proves its key, and asks for nothing", async () => {
  const { request, key } = await createCertificateRequest();
  const parsed = new Pkcs10CertificateRequest(request);
  assert.ok(await parsed.verify());
  assert.equal(parsed.subject, "");
  const own = createPublicKey(key).export({ type: "spki", format: "der" });
  assert.ok(own.equals(Buffer.from(parsed.publicKey.rawData)));
});

describe("the identity of a node", () => {
  test("is kept for its owner alone, and read as it was written", async () => {
    const files = new FakeFiles();
    const store = openIdentityStore(files, "/data/identity");
    assert.equal(await store.read(), undefined);
    const written = await identity(Date.parse("2026-01-01"));
    await store.write(written, server);
    const read = await store.read();
    assert.equal(read?.client.key.trim(), written.client.key.trim());
    assert.equal(read?.serving.certificate.trim(), written.serving.certificate.trim());
    const secret = [...files.files].filter(([, { text }]) => text.includes("PRIVATE KEY"));
    assert.deepEqual(secret.map(([path, { mode }]) => `${path} ${mode.toString(8)}`).toSorted(), [
      "/data/identity/client.pem 600",
      "/data/identity/serving.pem 600",
    ]);
    assert.match(files.files.get(store.kubeconfig)?.text ?? "", /192\.0\.2\.1:6443/);
  });

  test("is nothing when a part is missing", async () => {
    const files = new FakeFiles();
    const store = openIdentityStore(files, "/data");
    await store.write(await identity(0), server);
    await files.remove("/data/client.pem");
    assert.equal(await store.read(), undefined);
  });

  test("[API-6] is renewed long before it expires, and tried again when that fails", async () => {
    const clock = new FakeClock("2026-01-01T00:00:00Z");
    const first = await identity(clock.now());
    const renewed = await identity(clock.now() + year / 2);
    const files = new FakeFiles();
    const store = openIdentityStore(files, "/data");
    const asked: string[] = [];
    const got: Identity[] = [];
    const stop = new AbortController();
    const running = keepIdentity({
      identity: first,
      wish: { server, nodeName: "worker", addresses: [] },
      store,
      transport: {
        async send({ path }) {
          asked.push(path);
          if (asked.length === 1) throw new Error("the server is not there");
          const answer = {
            authority: renewed.authority,
            clientCertificate: renewed.client.certificate,
            servingCertificate: renewed.serving.certificate,
          };
          return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
        },
        open: () => Promise.reject(new Error("nobody streams here")),
        upgrade: () => Promise.reject(new Error("nobody upgrades here")),
        close: () => undefined,
      },
      onRenewed: (one) => got.push(one),
      clock,
      log: createLog({ format: "json", write: () => undefined }),
    })
      .run(stop.signal)
      .catch(() => undefined);
    const due = renewalTime(first.client).getTime() - clock.now();
    assert.ok(due < 0.7 * year);
    for (let day = 0; day * 86_400_000 < due; day += 1) await clock.advance(86_400_000);
    await until(() => asked.length > 0);
    assert.equal(got.length, 0);
    await clock.advance(3_600_000);
    await until(() => got.length > 0);
    assert.equal(
      (await store.read())?.client.certificate.trim(),
      renewed.client.certificate.trim(),
    );
    stop.abort();
    await running;
  });
});

/** Keys are made by threads, which no clock of a test turns. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5_000 && !holds(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.ok(holds());
}
