import assert from "node:assert/strict";
import { test } from "node:test";
import { firstPartedHop, readTraceRequest, type TracedWay, traceCommand } from "./trace-request.ts";

const read = (value: unknown) => readTraceRequest(JSON.stringify(value));

test("[DASH-1] a request to trace names two ends; whatever could be an option or a program is none", () => {
  assert.deepEqual(read({ from: "pod/a/b", to: "[fd00::1]:80", protocol: "udp", family: "IPv6" }), {
    from: "pod/a/b",
    to: "[fd00::1]:80",
    protocol: "udp",
    family: "IPv6",
  });
  for (const bad of [
    {},
    [],
    5,
    null,
    { from: "a" },
    { from: "-a", to: "b" },
    { from: "a b", to: "b" },
  ]) {
    assert.equal(read(bad), undefined);
  }
  assert.equal(readTraceRequest("{"), undefined);
});

test("[DASH-1] the command of a request is what tandem trace reads", () => {
  const request = { from: "outside", to: "shop/web", protocol: undefined, family: "IPv4" } as const;
  assert.equal(traceCommand(request), "tandem trace outside shop/web --family IPv4");
});

const way = (verdict: string, ...places: string[]): TracedWay => ({
  family: "IPv4",
  from: "",
  to: "",
  isDelivered: verdict === "delivered",
  verdict,
  text: "",
  hops: places.map((place) => ({ place, lines: [] })),
  notes: [],
});

test("[DASH-1] two ways part at the first place that differs, another pod of a service aside", () => {
  const one = way("delivered", "pod a/b", "node-1", "pod shop/web-0");
  assert.equal(firstPartedHop([one]), undefined);
  assert.equal(
    firstPartedHop([one, way("delivered", "pod a/b", "node-1", "pod shop/web-1")]),
    undefined,
  );
  assert.equal(firstPartedHop([one, way("delivered", "pod a/b", "node-2", "pod shop/web-1")]), 1);
  assert.equal(firstPartedHop([one, way("dropped", "pod a/b", "node-1")]), 1);
  assert.equal(firstPartedHop([one, way("unanswered", "pod a/b", "node-1", "pod shop/web-0")]), 2);
});
