import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import {
  decodeInvocation,
  decodeOutcome,
  encodeInvocation,
  encodeOutcome,
  receive,
} from "./messages.ts";

/** Receives a message from a connection that delivers the bytes in chunks, and then ends. */
async function over(bytes: Buffer, chunk = 7): Promise<Buffer | undefined> {
  const socket = new Socket();
  const received = receive(socket);
  for (let at = 0; at < bytes.length; at += chunk) {
    socket.emit("data", bytes.subarray(at, at + chunk));
  }
  socket.destroy();
  return received;
}

const text = fc.string({ unit: "grapheme" }).map((one) => one.replaceAll("\0", ""));
const name = fc.stringMatching(/^CNI_[A-Z]{1,8}$/);

test("a call arrives as it was sent, however it is cut", async () => {
  const call = fc.record({ variables: fc.dictionary(name, text), input: text, node: text });
  await fc.assert(
    fc.asyncProperty(call, fc.integer({ min: 1, max: 40 }), async (sent, chunk) => {
      const content = await over(encodeInvocation(sent), chunk);
      assert.deepEqual(content && decodeInvocation(content), {
        ...sent,
        variables: { ...sent.variables },
      });
    }),
  );
});

test("an answer arrives as it was sent", async () => {
  for (const sent of [
    { output: "", failed: false },
    { output: '{"code":7}\n', failed: true },
  ]) {
    const content = await over(encodeOutcome(sent));
    assert.deepEqual(content && decodeOutcome(content), sent);
  }
});

test("who says that it works on an answer is waited for", async () => {
  const sent = { output: "{}", failed: false };
  const content = await over(Buffer.concat([Buffer.from(" ".repeat(60)), encodeOutcome(sent)]));
  assert.deepEqual(content && decodeOutcome(content), sent);
});

test("a message that breaks off, or is none, is not taken for one", async () => {
  const whole = encodeOutcome({ output: "0123456789", failed: false });
  for (let length = 0; length < whole.length; length++) {
    assert.equal(await over(whole.subarray(0, length)), undefined);
  }
  for (const stranger of ["GET / HTTP/1.1\r\nhost: here\r\n\r\n", "x".repeat(2000)]) {
    assert.equal(await over(Buffer.from(stranger)), undefined);
  }
});
