import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../../base/program/log.ts";
import { AuditWebhook } from "./webhook.ts";

test("[SEC-7] events go out in batches, again after a failure, and those left over at the end", async () => {
  const bodies: { items: { n: number }[] }[] = [];
  let failures = 2;
  const lines: string[] = [];
  const webhook = new AuditWebhook({
    post: (body) => {
      if (failures-- > 0) return Promise.reject(new Error("not now"));
      bodies.push(JSON.parse(body) as (typeof bodies)[number]);
      return Promise.resolve();
    },
    log: createLog({ write: (line) => lines.push(line), format: "text", level: "error" }),
    bufferSize: 6,
    maxBatch: 4,
    maxWaitMs: 60_000,
    retryMs: 1,
  });
  for (let n = 0; n < 9; n++) webhook.write(`{"n":${n}}\n`);
  const stop = new AbortController();
  const running = webhook.run(stop.signal);
  while (bodies.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  webhook.write('{"n":9}\n');
  stop.abort();
  await running;
  assert.deepEqual(
    bodies.map(({ items }) => items.map(({ n }) => n)),
    [[0, 1, 2, 3], [4, 5], [9]],
  );
  assert.match(lines.join(""), /events are lost/);
});
