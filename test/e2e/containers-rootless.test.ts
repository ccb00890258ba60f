// An ordinary user gets the same containers: with one user in the user namespace, and with a range.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const isRoot = process.geteuid?.() === 0;
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/** By whether several users make a difference to them. */
const files = {
  "containers.test.ts": true,
  "containers-sessions.test.ts": false,
  "containers-built-in.test.ts": false,
  "images.test.ts": true,
};

for (const [name, isAboutUsers] of Object.entries(files)) {
  test(`with one user: ${name}`, async () => {
    const enter = ["unshare", "--user", "--map-root-user", "--mount", "--net"];
    await runInside([...(isRoot ? asNobody : []), ...enter], name);
  });

  // Only root can make itself a range without an entry in /etc/subuid.
  if (isRoot && isAboutUsers) {
    test(`with a range of users: ${name}`, async () => {
      const holder = await openRange("0 300000 65536");
      try {
        const enter = ["nsenter", `--target=${holder.pid}`, "--user", "--mount", "--net"];
        await runInside([...enter, "--setuid=0", "--setgid=0"], name);
      } finally {
        holder.kill("SIGKILL");
      }
    });
  }
}

/** Where an error shows it. */
const toStderr = ["--test-reporter=tap", "--test-reporter-destination=stderr"];

async function runInside(prefix: readonly string[], name: string): Promise<void> {
  const file = fileURLToPath(import.meta.resolve(`./${name}`));
  const script = 'ip link set lo up && exec "$@"';
  const runner = [process.execPath, "--test", ...toStderr, file];
  const [program = "", ...args] = [...prefix, "sh", "-c", script, "sh", ...runner];
  const child = spawn(program, args, {
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: `${process.env["PATH"]}:/usr/sbin:/sbin`,
      HOME: tmpdir(),
    },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await once(child, "close");
  assert.match(stderr, /^# pass [1-9]/m, stderr);
  assert.match(stderr, /^# fail 0$/m, stderr);
  assert.match(stderr, /^# skipped 0$/m, stderr);
}

/** A process in namespaces of its own, whose users are these. */
async function openRange(range: string): Promise<ChildProcess> {
  const [program, ...words] = ["unshare", "--user", "--mount", "--net", "sleep", "300"] as const;
  const child = spawn(program, words, { stdio: "ignore" });
  const ours = await readlink("/proc/self/ns/net");
  const deadline = Date.now() + 30_000;
  while ((await readlink(`/proc/${child.pid}/ns/net`)) === ours) {
    assert.ok(Date.now() < deadline, "Cannot make a user namespace: it does not come to be");
    await sleep(5);
  }
  for (const map of ["uid_map", "gid_map"]) await writeFile(`/proc/${child.pid}/${map}`, range);
  return child;
}
