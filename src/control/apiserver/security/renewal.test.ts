import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
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
  const certificate = { files: new FakeFiles(), directory: "/pki", authority };
  const current = await serverCertificate({ ...certificate, names, now });
  const log = createLog({ write: () => undefined, format: "text" });
  const renewed: string[] = [];
  const next = Promise.withResolvers<void>();
  const stop = new AbortController();
  const running = renewServerCertificate(
    {
      certificate,
      names: () => names,
      subscribe: () => () => undefined,
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
  assert.deepEqual(await serverCertificate({ ...certificate, names, now }), {
    certificate: renewed[0],
    key: await certificate.files.read("/pki/server.key"),
  });
  stop.abort();
  await running;
});

test("[VIP-9] a name that comes while the server runs is in its certificate at once, and again after a failure", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00Z");
  const now = () => new Date(clock.now());
  const authority = await openAuthority(await createAuthority("tandem", { now }), { now });
  const files = new FakeFiles();
  const certificate = { files, directory: "/pki", authority };
  let names = { dnsNames: ["localhost"], addresses: ["192.168.111.5"] };
  const current = await serverCertificate({ ...certificate, names, now });
  let change = () => assert.fail("nobody has subscribed");
  let failures = 0;
  let next = Promise.withResolvers<X509Certificate>();
  const stop = new AbortController();
  const running = renewServerCertificate(
    {
      certificate,
      names: () => {
        if (failures-- > 0) throw new Error("no");
        return names;
      },
      subscribe: (changed) => {
        change = changed as () => never;
        return () => undefined;
      },
      clock,
      log: createLog({ write: () => undefined, format: "text" }),
      current,
      renewed: (pair) => next.resolve(new X509Certificate(pair.certificate)),
    },
    stop.signal,
  );
  names = { ...names, addresses: ["192.168.111.5", "fd00:111::5"] };
  change();
  const second = await next.promise;
  for (const address of names.addresses) assert.equal(second.checkIP(address), address);

  next = Promise.withResolvers();
  failures = 1;
  names = { ...names, addresses: ["192.168.111.5", "fd00:111::7"] };
  change();
  await clock.advance(10_000);
  assert.equal((await next.promise).checkIP("fd00:111::7"), "fd00:111::7");
  stop.abort();
  await running;
});
