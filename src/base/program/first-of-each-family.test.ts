import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefixList } from "../net/list.ts";
import { usedOfEachFamily } from "./first-of-each-family.ts";
import { createLog } from "./log.ts";

test("[NET-3] the first of each family is used, and a warning names each further one and its option", () => {
  const lines: string[] = [];
  const log = createLog({ format: "text", write: (line) => lines.push(line) });
  const list = parsePrefixList("10.0.0.0/8,fd00::/64,10.1.0.0/16");
  const used = usedOfEachFamily(list, { option: "--pod-cidr", log });
  assert.deepEqual(used.map(String), ["10.0.0.0/8", "fd00::/64"]);
  assert.equal(lines.length, 1);
  assert.match(lines.join(), /ignored 10\.1\.0\.0\/16: --pod-cidr has one of IPv4 before it/);
});
