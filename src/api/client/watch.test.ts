import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isGone } from "./errors.ts";
import type { ApiObject } from "./objects.ts";
import { decodeEvents, type WatchEvent } from "./watch.ts";

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    yield bytes.subarray(start, cut);
    start = cut;
  }
}

async function decode(body: AsyncIterable<Buffer>): Promise<WatchEvent<ApiObject>[]> {
  const events: WatchEvent<ApiObject>[] = [];
  for await (const event of decodeEvents<ApiObject>(body, { action: "GET /x" })) events.push(event);
  return events;
}

test("events are the same wherever the connection cuts them", async () => {
  const objects = ["ä", "b\nb", "", "\u{1f980}"].map((name) => ({
    type: "ADDED",
    object: { apiVersion: "v1", kind: "Pod", metadata: { name } },
  }));
  const bytes = Buffer.from(objects.map((object) => `${JSON.stringify(object)}\n`).join(""));
  const cut = fc.nat({ max: bytes.length });
  await fc.assert(
    fc.asyncProperty(fc.array(cut), async (cuts) => {
      const ordered = cuts.toSorted((a, b) => a - b);
      assert.deepEqual(await decode(pieces(bytes, ordered)), objects);
    }),
  );
});

test("bookmarks tell how far the watch is", async () => {
  const bookmark = (annotations: object) =>
    `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7","annotations":${JSON.stringify(annotations)}}}}\n`;
  const text = bookmark({}) + bookmark({ "k8s.io/initial-events-end": "true" });
  assert.deepEqual(await decode(pieces(Buffer.from(text), [])), [
    { type: "BOOKMARK", resourceVersion: "7", endsInitialEvents: false },
    { type: "BOOKMARK", resourceVersion: "7", endsInitialEvents: true },
  ]);
});

test("an error event is thrown, with the code inside", async () => {
  const status = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
  const text = `${JSON.stringify({ type: "ERROR", object: status })}\n`;
  await assert.rejects(decode(pieces(Buffer.from(text), [3])), (error) => {
    assert.ok(isGone(error));
    assert.deepEqual([error.code, error.message], [410, "Cannot GET /x: too old"]);
    return true;
  });
});

test("a watch that ends within a line yields no event for it", async () => {
  assert.deepEqual(await decode(pieces(Buffer.from('{"type":"ADDED"'), [])), []);
});
