// An ordinary user gets the same containers: with one user in the user namespace, and with a range.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const isRoot = process.geteuid?.() === 0;
const files = ["containers.test.ts", "containers-sessions.test.ts", "images.test.ts"];
const unshare = ["unshare", "--user", "--mount", "--net"];
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

for (const name of files) {
  test(`with one user: ${name}`, async () => {
    await runInside([...(isRoot ? asNobody : []), ...unshare, "--map-root-user"], { name });
  });

  // Only root can give itself a range without entries in /etc/subuid.
  if (isRoot) {
    test(`with a range of users: ${name}`, async () => {
      await runInside(unshare, { name, range: "0 300000 65536" });
    });
  }
}

/** Where an error shows it. */
const toStderr = ["--test-reporter=tap", "--test-reporter-destination=stderr"];

/** The shell waits for its users, then brings the loopback up and runs the tests. */
const script = 'read _ && ip link set lo up && exec "$@"';

async function runInside(
  prefix: readonly string[],
  { name, range }: { readonly name: string; readonly range?: string },
): Promise<void> {
  const file = fileURLToPath(import.meta.resolve(`./${name}`));
  const runner = [process.execPath, "--test", ...toStderr, file];
  const [program = "", ...args] = [...prefix, "sh", "-c", script, "sh", ...runner];
  const child = spawn(program, args, {
    cwd: "/",
    stdio: ["pipe", "ignore", "pipe"],
    // An inner runner must not take itself for a child of the outer one.
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      HOME: tmpdir(),
      NODE_EXTRA_CA_CERTS: undefined,
      PATH: `${process.env["PATH"]}:/usr/sbin:/sbin`,
    },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const closed = once(child, "close");
  if (range !== undefined) {
    await entered(child.pid ?? 0);
    for (const map of ["uid_map", "gid_map"]) await writeFile(`/proc/${child.pid}/${map}`, range);
  }
  child.stdin.end("go\n");
  await closed;
  assert.match(stderr, /^# pass [1-9]/m);
  assert.match(stderr, /^# fail 0$/m, stderr);
  assert.match(stderr, /^# skipped 0$/m);
}

/** Its own user namespace is there once it has left ours. */
async function entered(pid: number): Promise<void> {
  const { readlink } = await import("node:fs/promises");
  const ours = await readlink("/proc/self/ns/net");
  const deadline = Date.now() + 10_000;
  while ((await readlink(`/proc/${pid}/ns/net`)) === ours) {
    if (Date.now() > deadline)
      throw new Error("Cannot enter a user namespace: it does not come to be");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
