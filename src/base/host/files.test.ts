import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { isNotPermitted } from "./error.ts";
import { FakeFiles } from "./files.fake.ts";
import { systemFiles } from "./files.system.ts";
import type { Files } from "./files.ts";

const scratch = await mkdtemp(join(tmpdir(), "tandem-files-"));
after(() => rm(scratch, { recursive: true }));

const kinds: readonly (readonly [string, Files])[] = [
  ["real", systemFiles],
  ["fake", new FakeFiles()],
];
for (const [kind, files] of kinds) {
  describe(`${kind} files`, () => {
    const directory = join(scratch, kind);

    test("what is written is read, replaced, listed and removed", async () => {
      await files.makePrivateDirectory(join(directory, "inner"));
      await files.write(join(directory, "b"), "one");
      await files.write(join(directory, "b"), Buffer.from("two"));
      await files.write(join(directory, "a"), "");
      await files.write(join(directory, "inner", "c"), "three");
      assert.equal(await files.read(join(directory, "b")), "two");
      assert.equal(await files.read(join(directory, "a")), "");
      assert.deepEqual(await files.list(directory), ["a", "b", "inner"]);
      await files.remove(join(directory, "b"));
      await files.remove(join(directory, "b"));
      assert.equal(await files.read(join(directory, "b")), undefined);
      assert.deepEqual(await files.list(join(directory, "none")), []);
    });
  });
}

test("a file has the mode that was asked for, whatever the umask", async () => {
  const path = join(scratch, "mode");
  const umask = process.umask(0o077);
  try {
    await systemFiles.write(path, "x");
    assert.equal((await stat(path)).mode & 0o777, 0o644);
    await systemFiles.write(path, "x", { mode: 0o600 });
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  } finally {
    process.umask(umask);
  }
});

test("a write that fails leaves nothing behind", async () => {
  const directory = join(scratch, "failing");
  await mkdir(join(directory, "taken"), { recursive: true });
  await assert.rejects(systemFiles.write(join(directory, "taken"), "x"), { code: "EISDIR" });
  await assert.rejects(systemFiles.write(join(directory, "none", "x"), "x"), { code: "ENOENT" });
  assert.deepEqual(await systemFiles.list(directory), ["taken"]);
});

test("only unfinished writes are swept away", async () => {
  const directory = join(scratch, "swept");
  const kept = [".state", ".state.unfinished", "state"];
  await mkdir(directory);
  for (const name of [...kept, ".state.0d1e2f3a-1111-2222-3333-444455556666.unfinished"]) {
    await writeFile(join(directory, name), "");
  }
  await systemFiles.removeUnfinishedWrites(directory);
  assert.deepEqual(await systemFiles.list(directory), kept);
});

test("a private directory is closed to others, or refused", async () => {
  const path = join(scratch, "private", "deep");
  await systemFiles.makePrivateDirectory(path);
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  await chmod(path, 0o755);
  await systemFiles.makePrivateDirectory(path);
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  await symlink(path, join(scratch, "link"));
  await assert.rejects(systemFiles.makePrivateDirectory(join(scratch, "link")), isNotPermitted);
});

test("the fake shows its files as text, and fails when told to", async () => {
  const files = new FakeFiles();
  await files.write("/b", "two\nlines\n", { mode: 0o600 });
  await files.write("/a", "one");
  files.failNextWrite(new Error("disk full"));
  await assert.rejects(files.write("/a", "more"), /disk full/);
  assert.equal(files.text, "0644 /a\n  one\n0600 /b\n  two\n  lines");
});
