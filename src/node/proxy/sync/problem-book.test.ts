import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../../base/program/log.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { openState, put, service } from "../plan/testing/scenario.ts";
import { registerProxyMetrics } from "./metrics.ts";
import { ProblemBook } from "./problem-book.ts";

test("[PROXY-5] each problem of a service is told once, where people look at the service", () => {
  const state = openState();
  const told: string[] = [];
  const registry = new Registry();
  const book = new ProblemBook({
    state,
    events: {
      record: ({ kind, metadata }, { type, reason, message }) =>
        told.push(`${kind} ${metadata.name} ${type} ${reason}: ${message}`),
    },
    metrics: registerProxyMetrics(registry),
    log: createLog({ format: "text", write: () => undefined }),
  });
  const change = (...objects: Parameters<typeof put>[1]): void => {
    put(state, objects);
    book.changed(state.takeChange());
  };
  const broken = service();
  broken.spec.externalIPs = ["nonsense"];
  change(service({ name: "good", cluster: ["other"] }), broken);
  const text = 'Cannot use spec.externalIPs[0] "nonsense": it is not an address';
  assert.deepEqual(told, [`Service web Warning ServiceNotServed: ${text}`]);
  assert.deepEqual(book.problems, { "shop/web": [text] });
  assert.match(registry.render(), /services_with_problems 1/);
  change({ ...broken, spec: { ...broken.spec, sessionAffinity: "ClientIP" } });
  assert.equal(told.length, 1, "it is the same problem");
  change(service());
  assert.deepEqual(book.problems, {});
  assert.match(registry.render(), /services_with_problems 0/);
});
