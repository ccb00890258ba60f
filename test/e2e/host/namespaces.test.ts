import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { isAlreadyExists, isInvalid } from "../../../src/base/host/error.ts";
import { namespaceName } from "../../../src/base/host/netns-name.ts";
import { FakeNetworkNamespaces } from "../../../src/base/host/testing/netns.fake.ts";
import { systemNetworkNamespaces } from "../../../src/base/host/testing/netns.system.ts";
import { clusterPrefix } from "../../../src/base/host/testing/netns-name.ts";
import { commands, locks } from "./sandbox.ts";

const cluster = `test-${randomUUID().slice(0, 8)}`;
const directory = await mkdtemp(join(tmpdir(), "tandem-netns-"));
const shared = systemNetworkNamespaces({ commands, locks });
const own = systemNetworkNamespaces({ commands, locks, directory });
after(async () => {
  for (const namespaces of [shared, own]) {
    for (const name of await namespaces.list(clusterPrefix(cluster))) await namespaces.delete(name);
  }
  await rm(directory, { recursive: true });
});

for (const [kind, namespaces] of [
  ["in /run/netns", shared],
  ["in a directory of their own", own],
  ["fake", new FakeNetworkNamespaces()],
] as const) {
  describe(`namespaces ${kind}`, () => {
    const [one, two] = [namespaceName(cluster, "one"), namespaceName(cluster, "two")];

    test("are created, found, listed and deleted", async () => {
      assert.equal(await namespaces.exists(one), false);
      assert.equal(await namespaces.create(one), namespaces.path(one));
      await namespaces.create(two);
      assert.equal(await namespaces.exists(one), true);
      assert.deepEqual(await namespaces.list(clusterPrefix(cluster)), [one, two]);
      await namespaces.delete(one);
      assert.equal(await namespaces.exists(one), false);
      assert.deepEqual(await namespaces.list(clusterPrefix(cluster)), [two]);
    });

    test("exist once, and can be deleted again and again", async () => {
      await namespaces.create(one);
      await assert.rejects(namespaces.create(one), isAlreadyExists);
      assert.equal(await namespaces.exists(one), true);
      await namespaces.delete(one);
      await namespaces.delete(one);
    });

    test("refuse names with a path in them", async () => {
      await assert.rejects(namespaces.create("../up"), isInvalid);
      await assert.rejects(namespaces.delete("../up"), isInvalid);
    });
  });
}

test("a new namespace has its own links, with loopback up", async () => {
  const name = namespaceName(cluster, "links");
  const namespace = await own.create(name);
  const { stdout } = await commands.run(["ip", "-brief", "link"], { namespace });
  assert.match(stdout, /^lo +UNKNOWN .*<LOOPBACK,UP,LOWER_UP> \n$/);
});

test("ip netns and we see each other's namespaces", async () => {
  const [ours, theirs] = [namespaceName(cluster, "ours"), namespaceName(cluster, "theirs")];
  await shared.create(ours);
  await commands.run(["ip", "netns", "add", theirs]);
  const { stdout } = await commands.run(["ip", "netns", "list"]);
  assert(stdout.split("\n").includes(ours), stdout);
  assert.equal(await shared.exists(theirs), true);
  await commands.run(["ip", "netns", "delete", ours]);
  assert.equal(await shared.exists(ours), false);
  await shared.delete(theirs);
});

test("creating many at once, of the same name, makes one", async () => {
  const name = namespaceName(cluster, "race");
  const attempts = await Promise.allSettled(Array.from({ length: 5 }, () => own.create(name)));
  const made = attempts.filter(({ status }) => status === "fulfilled");
  assert.equal(made.length, 1);
  await own.delete(name);
  assert.doesNotMatch(await readFile("/proc/self/mountinfo", "utf8"), new RegExp(name));
});

test("what a killed creation left behind is no namespace, but listed, in the way, and removable", async () => {
  const name = namespaceName(cluster, "leftover");
  await writeFile(own.path(name), "");
  assert.equal(await own.exists(name), false);
  assert((await own.list()).includes(name));
  await assert.rejects(own.create(name), isAlreadyExists);
  await own.delete(name);
  await own.create(name);
});

test("deleting takes every mount away, also while a process is inside", async () => {
  const name = namespaceName(cluster, "stacked");
  const path = await own.create(name);
  await commands.run(["mount", "--bind", path, path]);
  const inside = await commands.start(["sleep", "600"], { namespace: path, diesWithParent: true });
  try {
    await Promise.all([own.delete(name), own.delete(name)]);
    assert.doesNotMatch(await readFile("/proc/self/mountinfo", "utf8"), new RegExp(name));
    assert.equal(await own.exists(name), false);
  } finally {
    await inside.stop();
  }
});

test("a creation that fails leaves nothing", async () => {
  const name = namespaceName(cluster, "aborted");
  const abort = new AbortController();
  const creating = own.create(name, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await assert.rejects(creating, /enough/);
  assert(!(await own.list()).includes(name));
});
