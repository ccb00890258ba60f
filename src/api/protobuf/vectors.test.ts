// Compares with testdata: bodies that genuine client-go 0.36 wrote, and the JSON form of the same objects
// without zero values that Go cannot tell from absent ones.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { JsonObject } from "../../base/json/value.ts";
import { decodeProtobuf, encodeProtobuf } from "./envelope.ts";

interface Vector {
  readonly name: string;
  readonly base64: string;
  readonly object: JsonObject;
}

for (const file of ["written", "random"]) {
  const text = readFileSync(new URL(`testdata/${file}.jsonl`, import.meta.url), "utf8");
  for (const line of text.trim().split("\n")) {
    const { name, base64, object } = JSON.parse(line) as Vector;
    test(`[API-1] ${file}: ${name} is read and written as client-go does`, () => {
      assert.deepEqual(decodeProtobuf(Buffer.from(base64, "base64")), object);
      assert.equal(Buffer.from(encodeProtobuf(object)).toString("base64"), base64);
    });
  }
}
