import assert from "node:assert/strict";
import { test } from "node:test";
import { capabilitiesOf } from "./capabilities.ts";

const everything = 2n ** 41n - 1n;

test("without a word there are the usual fourteen", () => {
  const usual = capabilitiesOf({}, everything);
  assert.equal(usual.length, 14);
  assert.ok(usual.includes("CAP_NET_BIND_SERVICE") && !usual.includes("CAP_SYS_ADMIN"));
});

test("some are added and dropped, with or without CAP_, and adding counts more", () => {
  const changes = { dropCapabilities: ["all"], addCapabilities: ["NET_ADMIN", "cap_sys_time"] };
  assert.deepEqual(capabilitiesOf(changes, everything), ["CAP_NET_ADMIN", "CAP_SYS_TIME"]);
  const less = capabilitiesOf({ dropCapabilities: ["CAP_KILL"] }, everything);
  assert.deepEqual([less.length, less.includes("CAP_KILL")], [13, false]);
});

test("ALL is all that there is to give", () => {
  const withoutResources = everything & ~(1n << 24n);
  for (const changes of [{ privileged: true }, { addCapabilities: ["ALL"] }]) {
    assert.equal(capabilitiesOf(changes, everything).length, 41);
    const fewer = capabilitiesOf(changes, withoutResources);
    assert.deepEqual([fewer.length, fewer.includes("CAP_SYS_RESOURCE")], [40, false]);
  }
});

test("a name that is none is refused", () => {
  assert.throws(() => capabilitiesOf({ addCapabilities: ["FLY"] }, everything), {
    message: "Cannot change capability FLY: there is none of that name",
  });
});
