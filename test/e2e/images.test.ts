// Images from files and from a registry, and containers that run on them.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  isImageNameInvalid,
  isImageNeverPulled,
  isImageRefused,
} from "../../src/node/runtime/error.ts";
import { systemIdentity } from "../../src/node/runtime/machine/identity.system.ts";
import type { ContainerSpec } from "../../src/node/runtime/port.ts";
import { openNode } from "./containers.fixture.ts";
import { commands, makeArchives } from "./images.fixture.ts";
import { startRegistry } from "./registry.fixture.ts";

const archives = await makeArchives();
after(() => archives[Symbol.asyncDispose]());
const node = await openNode();
after(() => node[Symbol.asyncDispose]());
const { containers, images } = node;
const identity = await systemIdentity();

/** What a container said until it had exited. */
async function outcome(given: Partial<ContainerSpec>): Promise<string> {
  const spec = node.spec(given);
  await containers.start(spec);
  await containers.exited(spec.id);
  const text = await node.logOf(spec.id);
  await containers.remove(spec.id);
  return text.trimEnd();
}

test("an archive of either kind is loaded, and its configuration counts", async () => {
  const [oci] = await images.load(archives.oci);
  const [docker] = await images.load(archives.docker);
  assert.equal(oci?.name, "example.test/tiny:1");
  assert.equal(docker?.name, "example.test/tiny:2");
  for (const name of ["example.test/tiny:1", "example.test/tiny:2"]) {
    const { id: image } = await images.ensure(name, "Never");
    assert.equal(await outcome({ image }), "hello from /home/runner");
    const said = await outcome({ image, args: ['echo "$WORD, $0"'], environment: { WORD: "bye" } });
    assert.equal(said, "bye, /bin/sh");
    assert.equal(await outcome({ image, command: ["/bin/sh", "-c", "echo own"] }), "own");
    assert.equal(await outcome({ image, args: ["pwd"], workingDirectory: "/new" }), "/new");
  }
});

test("what a container changes is its own", async () => {
  const { id: image } = await images.ensure("example.test/tiny:1", "IfNotPresent");
  const change = "echo changed > /etc/motd; rm /etc/group; read word < /etc/motd; echo $word";
  assert.equal(await outcome({ image, args: [change] }), "changed");
  assert.equal(
    await outcome({ image, args: ["[ -e /etc/motd ] || [ ! -e /etc/group ] || echo fresh"] }),
    "fresh",
  );
});

test("users are looked up in the image, where there are several", async () => {
  const { id: image } = await images.ensure("example.test/tiny:1", "Never");
  const run = { image, command: ["id"], user: { uid: 1000, supplementalGroups: [7] } };
  if (identity.hasUser(1000)) {
    assert.equal(
      await outcome(run),
      "uid=1000(runner) gid=1001(runners) groups=1001(runners),7,1002(friends)",
    );
  } else {
    await assert.rejects(containers.start(node.spec(run)), {
      message: /^Cannot run as user 1000: this rootless cluster does not have it; /,
    });
  }
});

test("a registry is pulled from when the policy says so", async () => {
  const registry = await startRegistry(archives.layout);
  try {
    const name = `${registry.address}/team/tiny:latest`;
    await assert.rejects(images.ensure(name, "Never"), isImageNeverPulled);
    const both = await Promise.all([
      images.ensure(name, "Always"),
      images.ensure(name, "IfNotPresent"),
    ]);
    assert.equal(both[0].id, both[1].id);
    assert.equal(await outcome({ image: both[0].id }), "hello from /home/runner");
    const layers = registry.blobs();
    await images.ensure(name, "Always");
    await images.ensure(name, "IfNotPresent");
    assert.equal(registry.blobs() - layers, 1, "only the configuration is asked for again");
    await assert.rejects(images.ensure(`${registry.address}/team/none`, "IfNotPresent"), {
      message: /^Cannot have image "127\.0\.0\.1:\d+\/team\/none": .*manifest unknown/,
    });
  } finally {
    await registry.close();
  }
});

test("what cannot be had has a reason", async () => {
  await assert.rejects(images.ensure("Not A Name", "Always"), isImageNameInvalid);
  await assert.rejects(images.ensure("tandem.internal/none", "Always"), isImageRefused);
  await assert.rejects(images.ensure("127.0.0.1:9/x", "Always"), /connection refused/);
  const text = join(archives.directory, "text");
  await writeFile(text, "no archive");
  await assert.rejects(images.load(text), /^ImageError: Cannot load .*text: /);
});

test("an image goes when its last name goes and nobody runs on it", async () => {
  const [again] = await images.load(archives.oci, { name: "again" });
  assert.equal(again?.name, "docker.io/library/again:latest");
  const { id } = await containers.start(node.spec({ image: again.id, command: ["sleep", "600"] }));
  const names = async (): Promise<readonly string[]> =>
    (await images.list()).filter((image) => image.id === again.id).map(({ name }) => name);
  for (const name of await names()) if (name !== again.name) await images.remove(name);
  await assert.rejects(images.remove("again"), /process \d+ runs on it/);
  await containers.remove(id);
  await images.remove("again");
  assert.deepEqual(await names(), []);
  await assert.rejects(images.ensure("again", "Never"), isImageNeverPulled);
  const { stdout } = await commands.run(["find", join(node.directory, "images/unfinished")]);
  assert.equal(stdout.trim().split("\n").length, 1);
});
