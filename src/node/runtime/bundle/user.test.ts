import assert from "node:assert/strict";
import { test } from "node:test";
import { identityOf } from "../machine/identity.ts";
import type { ContainerUser } from "../port.ts";
import { resolveUser } from "./user.ts";

const accounts = {
  passwd: "root:x:0:0::/root:/bin/sh\nweb:x:101:102::/:\n",
  group: "root:x:0:\nweb:x:102:\ndisk:x:6:root,web\nlogs:x:200:web\n",
};
const range = "0 0 4294967295";
const machine = { users: range, groups: range, setgroups: "allow\n", status: "" };
const single = { users: "0 1000 1", groups: "0 1000 1", setgroups: "deny\n", status: "" };

function resolve(wanted: ContainerUser, ofImage = "", texts = machine) {
  return resolveUser(wanted, { ofImage, accounts, identity: identityOf(texts) });
}

test("the image says who, by name or number, with or without a group", () => {
  assert.deepEqual(resolve({}), { uid: 0, gid: 0, additionalGids: [6] });
  const web = { uid: 101, gid: 102, additionalGids: [6, 200] };
  for (const name of ["web", "101"]) assert.deepEqual(resolve({}, name), web);
  assert.equal(resolve({}, "web:logs").gid, 200);
  assert.equal(resolve({}, "web:77").gid, 77);
  assert.deepEqual(resolve({}, "4000"), { uid: 4000, gid: 0, additionalGids: [] });
});

test("the pod says it in the image's place", () => {
  const wanted = { uid: 101, gid: 5, supplementalGroups: [6, 7] };
  assert.deepEqual(resolve(wanted, "root:logs"), { uid: 101, gid: 5, additionalGids: [6, 200, 7] });
  const strict = { ...wanted, isStrict: true };
  assert.deepEqual(resolve(strict, "root:logs").additionalGids, [6, 7], "no groups of the image");
  assert.equal(resolve({ uid: 0 }, "web:logs").gid, 0);
  assert.equal(resolve({ gid: 9 }, "web").gid, 9);
});

test("a name that the image does not have is refused", () => {
  assert.throws(() => resolve({}, "nobody"), {
    message: "Cannot run as user nobody: the image's /etc/passwd does not have it",
  });
  assert.throws(() => resolve({}, "web:nobody"), /group nobody: the image's \/etc\/group/);
});

test("with one user there is only root, and what nobody asked for is left out", () => {
  assert.deepEqual(resolve({}, "", single), { uid: 0, gid: 0, additionalGids: [] });
  for (const wanted of [{ uid: 101 }, { gid: 5 }, { supplementalGroups: [6] }]) {
    assert.throws(
      () => resolve(wanted, "", single),
      /^ContainerError: Cannot run as (user|group) \d+: /,
    );
  }
  assert.throws(() => resolve({}, "web", single), { reason: "not-possible-here" });
});
