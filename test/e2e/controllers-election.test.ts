import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../fixtures/controllers.ts";
import { startEtcd } from "../fixtures/etcd.ts";
import { type Answer, TestServer } from "../fixtures/server.ts";

const namespace = "/api/v1/namespaces/default";

async function call(server: TestServer, method: string, path: string, body: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await server.send(method, path, { body: JSON.stringify(body), type });
  assert.ok(answer.code < 300, answer.text);
}

async function createPod(server: TestServer, number: number): Promise<void> {
  const name = `web-${number}`;
  await call(server, "POST", `${namespace}/pods`, {
    metadata: { name, labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "echo" }] },
  });
  const podIPs = [{ ip: `10.0.0.${number}` }, { ip: `fd00::${number}` }];
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { phase: "Running", podIPs, conditions };
  await call(server, "PATCH", `${namespace}/pods/${name}/status`, { status });
}

async function listed(server: TestServer, pairs: readonly string[]): Promise<Answer> {
  return await until(
    () => server.call("GET", `${namespace}/endpoints/web`),
    ({ text }) => pairs.every((pair) => text.includes(JSON.stringify(pair.split(",")))),
    60_000,
  );
}

test("[EP-1] the controllers of one server run, and those of another when it is killed", async () => {
  await using etcd = await startEtcd();
  const options = { store: etcd.storeUrl("/elected") };
  await using first = await TestServer.start(options);
  await call(first, "POST", `${namespace}/services`, {
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  await createPod(first, 1);
  await listed(first, ["10.0.0.1,fd00::1"]);
  await using second = await TestServer.start(options);
  await first.kill();
  await createPod(second, 2);
  await listed(second, ["10.0.0.1,fd00::1", "10.0.0.2,fd00::2"]);
});
