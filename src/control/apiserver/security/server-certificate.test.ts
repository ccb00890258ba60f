import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeFiles } from "../../../base/host/files.fake.ts";
import { createAuthority, openAuthority } from "./authority.ts";
import { serverCertificate } from "./server-certificate.ts";

const names = { dnsNames: ["localhost"], addresses: ["127.0.0.1", "::1"] };
const start = new Date("2026-01-01T00:00:00Z");
const day = 24 * 60 * 60 * 1000;

test("[API-3] the server's certificate is kept, and renewed when it must be", async () => {
  let now = start;
  const clock = { now: () => now };
  const files = new FakeFiles();
  const authority = await openAuthority(await createAuthority("tandem", clock), clock);
  const options = { files, directory: "/data/pki", authority, names, ...clock };
  const first = await serverCertificate(options);
  assert.deepEqual(await serverCertificate(options), first);

  const more = { ...names, addresses: [...names.addresses, "10.0.0.1"] };
  const second = await serverCertificate({ ...options, names: more });
  assert.notEqual(second.certificate, first.certificate);

  now = new Date(start.getTime() + 340 * day);
  const third = await serverCertificate({ ...options, names: more });
  assert.notEqual(third.certificate, second.certificate);

  const other = await openAuthority(await createAuthority("tandem", clock), clock);
  const fourth = await serverCertificate({ ...options, names: more, authority: other });
  assert.notEqual(fourth.certificate, third.certificate);
  assert.equal(await files.read("/data/pki/ca.crt"), other.certificate);
});
