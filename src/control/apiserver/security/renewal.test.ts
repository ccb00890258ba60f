import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeFiles } from "../../../base/host/files.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { createAuthority, openAuthority } from "./authority.ts";
import { renewServerCertificate } from "./renewal.ts";
import { serverCertificate } from "./server-certificate.ts";

test("[API-3] a server that runs for long gets its next certificate in time", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00Z");
  const now = () => new Date(clock.now());
  const authority = await openAuthority(await createAuthority("tandem", { now }), { now });
  const names = { dnsNames: ["localhost"], addresses: ["127.0.0.1"] };
  const certificate = { files: new FakeFiles(), directory: "/pki", authority, names };
  const current = await serverCertificate({ ...certificate, now });
  const log = createLog({ write: () => undefined, format: "text" });
  const renewed: string[] = [];
  const next = Promise.withResolvers<void>();
  const stop = new AbortController();
  const running = renewServerCertificate(
    {
      certificate,
      clock,
      log,
      current,
      renewed: (pair) => {
        renewed.push(pair.certificate);
        next.resolve();
      },
    },
    stop.signal,
  );
  await clock.advance(3 * 3_600_000);
  assert.deepEqual(renewed, []);
  clock.setNow("2026-12-20T00:00:00Z");
  await clock.advance(3_600_000);
  await next.promise;
  assert.notEqual(renewed[0], current.certificate);
  assert.deepEqual(await serverCertificate({ ...certificate, now }), {
    certificate: renewed[0],
    key: await certificate.files.read("/pki/server.key"),
  });
  stop.abort();
  await running;
});
