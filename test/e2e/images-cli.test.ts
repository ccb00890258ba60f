// `tandem image`, on a directory of images.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { CommandError } from "../../src/base/host/error.ts";
import { commands, makeArchives } from "./images.fixture.ts";
import { startRegistry } from "./registry.fixture.ts";

const archives = await makeArchives();
after(() => archives[Symbol.asyncDispose]());
const directory = await mkdtemp(join(tmpdir(), "tandem-images-"));
after(() => rm(directory, { recursive: true }));
const program = join(import.meta.dirname, "../../bin/tandem");

async function image(...words: readonly string[]): Promise<string> {
  const { stdout } = await commands.run([program, "image", ...words, "--image-dir", directory]);
  return stdout;
}

test("images are loaded, pulled, listed and removed", async () => {
  assert.equal(await image("load", archives.docker), "image/example.test/tiny:2 loaded\n");
  assert.equal(
    await image("load", archives.oci, "--as", "mine"),
    "image/docker.io/library/mine:latest loaded\n",
  );
  const registry = await startRegistry(archives.layout);
  const pulled = `${registry.address}/team/tiny:latest`;
  try {
    assert.match(await image("pull", pulled), /^image\/127\S+ pulled: sha256:[0-9a-f]{64}\n$/);
  } finally {
    await registry.close();
  }
  const names = ["docker.io/library/mine:latest", "example.test/tiny:2", pulled];
  const listed = await image("list", "--output", "name");
  assert.deepEqual(
    listed.trim().split("\n").toSorted(),
    names.map((name) => `image/${name}`).toSorted(),
  );
  assert.match(
    await image("list"),
    /^IMAGE +ID +SIZE\n[^]*example\.test\/tiny:2 +[0-9a-f]{12} +\d+\.\d MB\n/,
  );
  await image("remove", ...names);
  assert.equal(await image("list", "--output", "name"), "");
});

test("tandem image names the image that it cannot remove or pull", async () => {
  await assert.rejects(image("remove", "none"), (error: unknown) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.stderr, /Cannot remove image "none": there is none/);
    return true;
  });
  await assert.rejects(image("pull", "Not:A:Name"), /Cannot use image "Not:A:Name"/);
});
