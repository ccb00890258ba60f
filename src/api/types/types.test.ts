import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { renderTypes } from "../schema/typescript.ts";
import type { Kinds } from "./kinds.ts";
import type { WatchEvent } from "./meta.ts";
import type { Info } from "./version.ts";

for (const [name, text] of renderTypes()) {
  test(`${name} is what the tables say`, () => {
    assert.equal(readFileSync(new URL(name, import.meta.url), "utf8"), text);
  });
}

test("a kind is written as a server answers it", () => {
  const pod: Kinds["v1/Pod"] = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "web" }] },
    status: { podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.2", properties: { net: "blue" } }] },
  };
  const service: Kinds["v1/Service"] = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { endpointFamily: "dual-stack", ports: [{ port: 80, targetPort: "http" }] },
  };
  assert.equal(pod.status?.podIPs?.[0]?.properties?.["net"], "blue");
  assert.equal(service.spec.ports?.[0]?.targetPort, "http");
});

test("what has no kind of its own has a type too", () => {
  const event: WatchEvent = { type: "ADDED", object: {} };
  const answer: Pick<Info, "major" | "minor"> = { major: "1", minor: "36" };
  assert.deepEqual([event.type, answer.major], ["ADDED", "1"]);
});
