import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { eachLine } from "./lines.ts";

async function linesOf(...chunks: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  eachLine(stream, (line) => lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.once("close", resolve));
  return lines;
}

test("lines are cut wherever their pieces are", async () => {
  assert.deepEqual(await linesOf("one\ntw", "o\r\n\nthr", "ee"), ["one", "two", "", "three"]);
  assert.deepEqual(await linesOf("ends\n"), ["ends"]);
  assert.deepEqual(await linesOf(), []);
});

test("a character may come in two pieces", async () => {
  const [first, second] = [Buffer.from("ü").subarray(0, 1), Buffer.from("ü\n").subarray(1)];
  assert.deepEqual(await linesOf(first, second), ["ü"]);
});

test("a line without end is cut before it fills the memory", async () => {
  const lines = await linesOf("x".repeat(150_000));
  assert.deepEqual(
    lines.map((line) => line.length),
    [65_536, 65_536, 18_928],
  );
});
