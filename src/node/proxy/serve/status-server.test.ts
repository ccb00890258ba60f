import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { openStatusServer, type ProxyStatus } from "./status-server.ts";

const good: ProxyStatus = {
  mode: "nftables",
  node: "n1",
  families: [{ family: "IPv4", synced: { services: "7" }, frontends: 2, rules: 9 }],
  problems: {},
  isHealthy: true,
  isEligible: true,
};

/** Opens the status servers; returns a function that sends a request to one of the two. */
async function open(context: TestContext, status: () => ProxyStatus) {
  const directory = await mkdtemp(join(tmpdir(), "tandem-status-"));
  const paths = { balancers: join(directory, "b"), others: join(directory, "o") };
  const server = await openStatusServer({
    healthzAddress: [{ path: paths.balancers }],
    healthAddress: [{ path: paths.others }],
    read: status,
    metrics: new Registry(),
    clock: new FakeClock(),
  });
  const abort = new AbortController();
  const running = server.run(abort.signal);
  context.after(async () => {
    abort.abort();
    await running;
    await rm(directory, { recursive: true });
  });
  return (place: keyof typeof paths, path: string) =>
    new Promise<{ code: number | undefined; body: string }>((resolve, reject) => {
      const asking = request({ socketPath: paths[place], path }, (response) => {
        text(response).then((body) => resolve({ code: response.statusCode, body }), reject);
      });
      asking.once("error", reject).end();
    });
}

test("the status says which revisions each family has in the kernel", async (t) => {
  const ask = await open(t, () => good);
  const { code, body } = await ask("others", "/status");
  assert.equal(code, 200);
  assert.deepEqual(JSON.parse(body), {
    mode: "nftables",
    node: "n1",
    families: [{ family: "IPv4", synced: { services: "7" }, frontends: 2, rules: 9 }],
    problems: {},
  });
  assert.equal((await ask("others", "/healthz")).code, 200);
  assert.equal((await ask("others", "/metrics")).code, 200);
  assert.equal((await ask("others", "/else")).code, 404);
});

test("load balancers learn whether the node is a good choice, and nothing else", async (t) => {
  let status = good;
  const ask = await open(t, () => status);
  assert.equal((await ask("balancers", "/healthz")).code, 200);
  assert.equal((await ask("balancers", "/status")).code, 404);
  assert.equal((await ask("balancers", "/metrics")).code, 404);
  status = { ...good, isEligible: false };
  assert.equal((await ask("balancers", "/healthz")).code, 503);
  assert.equal((await ask("balancers", "/livez")).code, 200, "it does its work, though");
  status = { ...good, isHealthy: false };
  assert.equal((await ask("balancers", "/livez")).code, 503);
});

test("why the kernel is not up to date is said", async (t) => {
  const [family] = good.families;
  assert(family !== undefined);
  const error = new Error("Cannot run nft: out of order");
  const ask = await open(t, () => ({
    ...good,
    isHealthy: false,
    families: [{ ...family, error }],
  }));
  assert.match((await ask("others", "/status")).body, /"error": "Cannot run nft: out of order"/);
  const { code, body } = await ask("others", "/livez");
  assert.equal(code, 503);
  assert.match(body, /sync failed: Cannot run nft: out of order/);
});
