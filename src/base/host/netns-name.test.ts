import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isInvalid } from "./error.ts";
import { namespaceName } from "./netns-name.ts";
import { checkNamespaceName, clusterPrefix } from "./testing/netns-name.ts";

const part = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/);
const parts = fc.array(part, { minLength: 1, maxLength: 4 });

test("different parts make different names, which are names", () => {
  fc.assert(
    fc.property(parts, parts, ([a = "", ...as], [b = "", ...bs]) => {
      const first = namespaceName(a, ...as);
      const second = namespaceName(b, ...bs);
      checkNamespaceName(first);
      assert.equal(first === second, [a, ...as].join(" ") === [b, ...bs].join(" "));
      if (a !== b) assert(!second.startsWith(clusterPrefix(a)));
    }),
  );
});

test("the name of a namespace consists of tandem, the cluster and the node", () => {
  assert.equal(namespaceName("demo", "worker-1"), "tandem_demo_worker-1");
  assert.equal(clusterPrefix("demo"), "tandem_demo_");
});

test("what could collide, climb or not be written down is refused", () => {
  for (const bad of ["", "a_b", "-a", "a-", "A", "../x", "a/b", "ü", "a b"]) {
    assert.throws(() => namespaceName("demo", bad), isInvalid, bad);
    assert.throws(() => namespaceName(bad), isInvalid, bad);
  }
  assert.throws(() => namespaceName("demo", "x".repeat(250)), /longer than 255/);
  for (const bad of ["", ".", "..", "a/b", "a b", "-a", "x".repeat(256)]) {
    assert.throws(() => checkNamespaceName(bad), isInvalid, bad);
  }
});
