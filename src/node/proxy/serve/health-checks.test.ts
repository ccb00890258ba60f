import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openState, put, service, slices } from "../plan/testing/scenario.ts";
import { HealthChecks } from "./health-checks.ts";

async function open(context: TestContext) {
  const failures: string[] = [];
  const condition = { isHealthy: true };
  const checks = new HealthChecks({
    isHealthy: () => condition.isHealthy,
    onFailure: (name, message) => failures.push(`${name}: ${message}`),
  });
  const abort = new AbortController();
  const running = checks.run(abort.signal);
  context.after(async () => {
    abort.abort();
    await running;
  });
  const state = openState();
  return {
    failures,
    condition,
    stop: async (): Promise<void> => {
      abort.abort();
      await running;
    },
    change: (...objects: Parameters<typeof put>[1]): void => {
      put(state, objects);
      checks.changed(state.takeChange());
    },
    remove: (): void => {
      state.setService("shop/web", undefined);
      checks.changed(state.takeChange());
    },
  };
}

const checked = (healthCheckNodePort: number) =>
  service({ lb: ["lb"], externalTrafficPolicy: "Local", healthCheckNodePort });

/** Finds a free port outside of the kernel's ephemeral range, so that it stays free. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 29_000);
    const server = createServer().listen(port);
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** Waits until the port is open, or closed. */
async function until(port: number, isOpen: boolean): Promise<Response | undefined> {
  const deadline = AbortSignal.timeout(30_000);
  for (;;) {
    deadline.throwIfAborted();
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if ((response !== undefined) === isOpen) return response;
    await sleep(5);
  }
}

test("[PROXY-2] load balancers are told how many endpoints the node has", async (t) => {
  const { change, condition } = await open(t);
  const port = await freePort();
  const pod = (name: string) => ({ targetRef: { kind: "Pod", namespace: "shop", name } });
  const [here, there] = ["here", "there"].map((nodeName) => ({ nodeName }));
  const pods = { a: { ...here, ...pod("a") }, d: { ...here, ...pod("d") }, b: { ...there } };
  change(checked(port), ...slices(pods));
  const response = await until(port, true);
  assert.equal(response?.status, 200);
  assert.equal(response?.headers.get("x-load-balancing-endpoint-weight"), "2");
  assert.deepEqual(await response?.json(), {
    service: { namespace: "shop", name: "web" },
    localEndpoints: 2,
    serviceProxyHealthy: true,
  });
  assert.equal((await fetch(`http://[::1]:${port}/`)).status, 200, "in both families");
  change(...slices(["b"]));
  assert.equal((await until(port, true))?.status, 503);
  change(...slices(["a"]));
  assert.equal((await until(port, true))?.status, 200);
  condition.isHealthy = false;
  assert.equal((await until(port, true))?.status, 503, "who does not work, serves nobody");
});

test("[PROXY-2] [SVC-6] a node without endpoints of a family says so at its addresses of that family", async (t) => {
  const { change } = await open(t);
  const port = await freePort();
  const statuses = async () =>
    await Promise.all(
      ["127.0.0.1", "[::1]"].map(async (host) => (await fetch(`http://${host}:${port}/`)).status),
    );
  change(checked(port), ...slices(["a"], { families: ["IPv6"] }));
  await until(port, true);
  assert.deepEqual(await statuses(), [503, 200]);
  change(...slices(["a"], { families: ["IPv4"] }));
  assert.deepEqual(await statuses(), [200, 200]);
  change(...slices([], { families: ["IPv6"] }));
  assert.deepEqual(await statuses(), [200, 503]);
});

test("ports are opened and closed with their services", async (t) => {
  const { change, remove, stop } = await open(t);
  const [first, second] = [await freePort(), await freePort()];
  change(checked(first), ...slices(["a"]));
  await until(first, true);
  change(checked(second));
  await until(second, true);
  await until(first, false);
  remove();
  await until(second, false);
  change(checked(first));
  await until(first, true);
  await stop();
  await until(first, false);
});

test("[PROXY-5] a port that another program has is told of, and holds up nobody", async (t) => {
  const { change, failures } = await open(t);
  const other = createServer().listen(0, "0.0.0.0");
  await once(other, "listening");
  t.after(() => other.close());
  const address = other.address();
  const taken = typeof address === "object" && address !== null ? address.port : 0;
  const free = await freePort();
  const web = checked(taken);
  change(web, { ...checked(free), metadata: { ...web.metadata, name: "free" } });
  await until(free, true);
  assert.match(failures.join(), /^shop\/web: Cannot answer health checks: .*another process/);
});
