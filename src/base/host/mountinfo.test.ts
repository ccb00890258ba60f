import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMountinfo } from "./mountinfo.ts";

test("a line of mountinfo gives point, options, type and the file system's own options", () => {
  const line =
    "36 35 98:0 /mnt1 /sys/fs/cgroup/cpu rw,noatime master:1 - cgroup cgroup rw,cpu,cpuacct";
  assert.deepEqual(parseMountinfo(line), [
    {
      point: "/sys/fs/cgroup/cpu",
      options: ["rw", "noatime"],
      type: "cgroup",
      ofFileSystem: ["rw", "cpu", "cpuacct"],
    },
  ]);
});

test("blanks that the kernel escapes in a mount point are decoded", () => {
  const [mount] = parseMountinfo("36 35 98:0 / /a\\040b\\134c rw - ext4 /dev/sda rw\n");
  assert.equal(mount?.point, "/a b\\c");
});

test("empty lines and an empty text give no mounts", () => {
  assert.deepEqual(parseMountinfo("\n"), []);
});
