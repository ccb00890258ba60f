import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../testing/start.ts";

const pathOf = (version: string) =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

describe("[API-7] autoscalers", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("of v1 are autoscalers of v2 with one metric, and back", async () => {
    const spec = { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 70 };
    const made = await server.send("POST", pathOf("v1"), {
      body: { metadata: { name: "one" }, spec },
    });
    assert.equal(made.status, 201, made.text);
    const { json } = await server.send("GET", `${pathOf("v2")}/one`);
    const target = { type: "Utilization", averageUtilization: 70 };
    assert.partialDeepStrictEqual(json, {
      apiVersion: "autoscaling/v2",
      spec: { minReplicas: 1, metrics: [{ type: "Resource", resource: { name: "cpu", target } }] },
    });
    const back = (await server.send("GET", `${pathOf("v1")}/one`)).json;
    assert.partialDeepStrictEqual(back, { apiVersion: "autoscaling/v1", spec });
  });

  test("keep what v1 has no field for, in annotations", async () => {
    const target = { type: "AverageValue", averageValue: "5" };
    const metrics = [{ type: "Pods", pods: { metric: { name: "queue" }, target } }];
    await server.send("POST", pathOf("v2"), {
      body: { metadata: { name: "two" }, spec: { scaleTargetRef, maxReplicas: 3, metrics } },
    });
    const old = (await server.send("GET", `${pathOf("v1")}/two`)).json;
    const again = await server.send("PUT", `${pathOf("v1")}/two`, { body: old });
    assert.equal(again.status, 200, again.text);
    const { json } = await server.send("GET", `${pathOf("v2")}/two`);
    assert.partialDeepStrictEqual(json, { spec: { metrics } });
  });

  for (const text of ["5", "[null]", "{", '[{"type":"Resource","resource":{"name":"cpu"}}]']) {
    test(`[API-4] an annotation of v1 that says ${text} is no metric`, async () => {
      const annotations = { "autoscaling.alpha.kubernetes.io/metrics": text };
      const { status } = await server.send("POST", `${pathOf("v1")}?dryRun=All`, {
        body: { metadata: { name: "bad", annotations }, spec: { scaleTargetRef, maxReplicas: 3 } },
      });
      assert.equal(status, 201);
    });
  }

  test("[API-4] an autoscaler without anything is refused", async () => {
    for (const version of ["v1", "v2"]) {
      const { status } = await server.send("POST", pathOf(version), {
        body: { metadata: { name: "empty" } },
      });
      assert.equal(status, 422);
    }
  });
});
