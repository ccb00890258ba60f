import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameReader, frame } from "./frames.ts";

test("[API-2] messages come out whole, however they are cut on the way", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 });
  const property = fc.property(messages, fc.integer({ min: 1, max: 30 }), (sent, size) => {
    const stream = Buffer.concat(sent.map((message) => frame(Buffer.from(message))));
    const reader = new FrameReader();
    const received: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) {
      received.push(...reader.push(stream.subarray(at, at + size)));
    }
    assert.deepEqual(
      received,
      sent.map((message) => Buffer.from(message)),
    );
  });
  fc.assert(property);
});
