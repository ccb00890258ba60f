import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { checkCgroups } from "./cgroups.system.ts";
import { cgroupMounts } from "./cgroups.ts";
import { identityOf } from "./identity.ts";
import { identifyProcess, isAlive, killBelow, processesMentioning } from "./processes.system.ts";

test("a user namespace is told from the machine's own by its users", () => {
  const texts = {
    groups: "0 0 4294967295",
    setgroups: "allow",
    status: "CapBnd:\t00000000000000ff\n",
  };
  const machine = identityOf({ ...texts, users: "         0          0 4294967295\n" });
  assert.deepEqual(
    [machine.isRootless, machine.hasUser(1000), machine.capabilities],
    [false, true, 255n],
  );
  const range = identityOf({ ...texts, users: "0 1000 1\n1 100000 65536\n" });
  assert.deepEqual(
    [range.isRootless, range.hasUser(65536), range.hasUser(65537)],
    [true, true, false],
  );
});

test("cgroup hierarchies are found among the mounts", () => {
  const text = `30 20 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw
31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
40 30 0:28 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw
`;
  assert.deepEqual(cgroupMounts(text), [
    { type: "cgroup", directory: "/sys/fs/cgroup/cpu" },
    { type: "cgroup2", directory: "/sys/fs/cgroup/unified" },
  ]);
});

test("[NODE-4] a machine where no cgroup can be made says why", async () => {
  const mount = (type: string, directory: string) =>
    `33 30 0:29 / ${directory} rw - ${type} none rw`;
  const check = (...mounts: readonly string[]) =>
    checkCgroups("/tandem", async () => mounts.join("\n"));
  await assert.rejects(check(), /no cgroup hierarchy is mounted/);
  await check(mount("cgroup2", "/tmp"));
  await check(mount("cgroup", "/tmp"), mount("cgroup2", "/etc/passwd"));
  for (const type of ["cgroup", "cgroup2"]) {
    await assert.rejects(
      check(mount(type, "/etc/passwd")),
      /^HostError: Cannot run containers: cgroups cannot be made in \/etc\/passwd\/?\w* \(E\w+\)/,
    );
  }
});

test("a process is known by its number and its start, and not when it is dead", async () => {
  const child = spawn("sleep", ["60"]);
  const identity = await identifyProcess(child.pid ?? 0);
  assert.ok(identity !== undefined && (await isAlive(identity)));
  assert.equal(await isAlive({ ...identity, startedAt: "1" }), false);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(await isAlive(identity), false);
  assert.equal(await identifyProcess(child.pid ?? 0), undefined);
});

test("what is below a process is killed, and it ends by itself", async () => {
  const word = `/tandem-test-${process.pid}`;
  const child = spawn("sh", ["-c", "sleep 61 | sleep 62; exit 3", "sh", word]);
  while ((await processesMentioning(word)).length === 0) await new Promise(setImmediate);
  const exited = once(child, "exit");
  const repeat = setInterval(() => void killBelow(child.pid ?? 0), 20);
  const [code, signal] = (await exited.finally(() => clearInterval(repeat))) as [number, string];
  assert.ok(code === 3 || signal === "SIGKILL");
});
