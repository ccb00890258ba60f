import assert from "node:assert/strict";
import { once } from "node:events";
import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { quietSocket } from "./quiet-socket.ts";

test("a connection that breaks has ended, without an error", async () => {
  const [socket] = duplexPair();
  socket.on("error", () => socket.destroy());
  const quiet = quietSocket(socket);
  let trouble: unknown;
  quiet.on("error", (error) => (trouble = error));
  socket.destroy(new Error("connection reset"));
  await once(quiet, "close");
  assert.equal(trouble, undefined);
  // What is written later is lost, and nobody minds.
  assert.equal(quiet.destroyed, true);
});

test("what passes through it is the same, in both directions, and each can end by itself", async () => {
  const [socket, peer] = duplexPair();
  const quiet = quietSocket(socket);
  const text = "x".repeat(1_000_000);
  let heard = "";
  quiet.on("data", (chunk: Buffer) => (heard += chunk.toString()));
  peer.end("to the node");
  await once(quiet, "end");
  assert.equal(heard, "to the node");
  quiet.end(text);
  assert.equal((await buffer(peer)).toString(), text);
});
