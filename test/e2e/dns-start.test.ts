// The compiler of sources does not stay in the memory of a server that had to use it.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { DnsServer } from "./dns-fixture.ts";

it("a server that had to compile itself begins anew, as the same process, and only then", async () => {
  const cache = await mkdtemp(join(tmpdir(), "tandem-e2e-"));
  try {
    for (const isFirst of [true, false]) {
      await using dns = await DnsServer.start([], { XDG_CACHE_HOME: cache });
      const environment = await readFile(`/proc/${dns.pid}/environ`, "utf8");
      assert.equal(environment.includes("TANDEM_STARTED_AGAIN=1"), isFirst, dns.output);
      assert.equal((await dns.dig("cluster.local", "SOA")).status, "NOERROR");
    }
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
});
