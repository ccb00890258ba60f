import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "./command.fake.ts";
import { isNotFound } from "./error.ts";
import { FakeSysctl } from "./sysctl.fake.ts";
import { systemSysctl } from "./sysctl.system.ts";

test("many settings are one process, and none when there are none", async () => {
  const commands = new FakeCommands().answer("sysctl --values", { stdout: "1\n4096\t8192\n" });
  const sysctl = systemSysctl(commands);
  await sysctl.write({ "net/ipv4/ip_forward": 1, "net/ipv6/conf/all/forwarding": 1 });
  await sysctl.write({});
  assert.deepEqual(await sysctl.read(["net/a", "net/b"]), ["1", "4096\t8192"]);
  assert.deepEqual(await sysctl.read([]), []);
  assert.equal(
    commands.text,
    "sysctl --quiet --write net/ipv4/ip_forward=1 net/ipv6/conf/all/forwarding=1\nsysctl --values net/a net/b",
  );
});

test("the fake keeps settings and misses those nobody made", async () => {
  const sysctl = new FakeSysctl();
  await sysctl.write({ "net/b": "x", "net/a": 1 });
  assert.deepEqual(await sysctl.read(["net/a"]), ["1"]);
  await assert.rejects(sysctl.read(["net/c"]), isNotFound);
  assert.equal(sysctl.text, "net/a = 1\nnet/b = x");
});
