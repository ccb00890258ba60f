import assert from "node:assert/strict";
import { test } from "node:test";
import { flagsAt } from "./flags.ts";

const mountinfo = `20 1 254:0 / / rw,relatime - ext4 /dev/vda rw
21 20 0:20 / /run rw,nosuid,nodev shared:3 - tmpfs tmpfs rw
22 21 0:21 / /run/user rw,nosuid,nodev,noexec - tmpfs tmpfs rw
23 20 0:22 / /with\\040blank ro,noexec - tmpfs tmpfs ro
24 21 0:23 / /run/user rw,nodev - tmpfs tmpfs rw
`;

test("a path has the flags of the mount it is on, of the uppermost of several", () => {
  assert.deepEqual(flagsAt("/etc/hosts", mountinfo), []);
  assert.deepEqual(flagsAt("/run", mountinfo), ["nosuid", "nodev"]);
  assert.deepEqual(flagsAt("/run/file", mountinfo), ["nosuid", "nodev"]);
  assert.deepEqual(flagsAt("/running", mountinfo), []);
  assert.deepEqual(flagsAt("/run/user/7", mountinfo), ["nodev"]);
  assert.deepEqual(flagsAt("/with blank/x", mountinfo), ["noexec"]);
});
