import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import { openFrontProxy } from "./front-proxy.ts";

const day = 24 * 60 * 60 * 1000;

test("[API-10] the front proxy has another certificate of the same authority before the first one expires", async () => {
  const directory = await mkdtemp(join(tmpdir(), "front-proxy-"));
  const store = await openEmbedded({ directory });
  try {
    let now = Date.parse("2026-01-01");
    const proxy = await openFrontProxy(store, () => new Date(now));
    const first = await proxy.client();
    now += 300 * day;
    assert.equal((await proxy.client()).certificate, first.certificate);
    now += 60 * day;
    const second = new X509Certificate((await proxy.client()).certificate);
    assert.ok(second.validToDate.getTime() > now + 300 * day);
    assert.ok(second.checkIssued(new X509Certificate(proxy.authority)));
    assert.match(second.subject, /CN=front-proxy-client/);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
});
