import assert from "node:assert/strict";
import test from "node:test";
import { compilePattern, matchesPattern } from "./patterns.ts";

test("spellings of Go are understood", () => {
  assert.ok(matchesPattern("(?i)^abc$", "ABC"));
  assert.ok(matchesPattern("\\A(?P<letter>[a-z])\\z", "a"));
  assert.ok(!matchesPattern("\\A(?P<letter>[a-z])\\z", "ab"));
  assert.ok(matchesPattern("^\\d{1,3}(\\.\\d{1,3}){3}$", "192.168.100.200"));
  const name = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
  assert.ok(matchesPattern(name, `${"a".repeat(60)}.${"b-".repeat(20)}c`));
  assert.ok(!matchesPattern(name, `${"a".repeat(60)}.${"b-".repeat(20)}`));
});

test("[API-4] a pattern made to take ages takes none", () => {
  assert.equal(matchesPattern("^(a+)+$", `${"a".repeat(200)}!`), false);
  assert.equal(matchesPattern("^(a+)+$", "a".repeat(200)), true);
});

test("a broken pattern is refused with a reason", () => {
  const result = compilePattern("(");
  assert.ok("refused" in result);
  assert.match(result.refused, /missing closing \)/);
});
