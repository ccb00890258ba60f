import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { openEmbedded } from "../embedded/open.system.ts";
import { readEmbedded } from "../embedded/read-only.system.ts";
import { isDamaged, isExpired, isInUse, isInvalid } from "../errors.ts";
import { bytes, put, remove, shown } from "../testing/contract/fixture.ts";
import { verifyBackup, writeBackup } from "./backup-file.system.ts";
import { restoreStore } from "./restore.system.ts";

describe("backups of an embedded store", () => {
  let folder: string;
  let places = 0;
  const place = (): string => join(folder, String(places++));
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tandem-backup-"));
  });
  after(() => rm(folder, { recursive: true }));

  test("[INST-4] what is read beside a writer is a state the store was in, without what expires", async () => {
    const step = fc.record({
      key: fc.constantFrom("/a", "/b", "/c", "/d"),
      value: fc.option(fc.string({ maxLength: 20 })),
      ttlSeconds: fc.constantFrom(undefined, undefined, 3600),
      compacts: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const directory = place();
        const store = await openEmbedded({ directory, spareBytes: 0 });
        const expiring = new Set<string>();
        try {
          for (const { key, value, ttlSeconds, compacts } of steps) {
            expiring.delete(key);
            if (value === null) await remove(store, key);
            else {
              const lifetime = ttlSeconds === undefined ? {} : { ttlSeconds };
              const operation = { type: "put", key, value: bytes(value), ...lifetime } as const;
              await store.commit({ compare: [], operations: [operation] });
              if (ttlSeconds !== undefined) expiring.add(key);
            }
            if (compacts) await store.compact(await store.revision());
          }
          const { entries, revision } = await store.list("/");
          const contents = await readEmbedded(directory);
          const found = await Array.fromAsync(contents.entries());
          contents.close();
          const plain = (list: typeof entries) =>
            list.map(({ key, created, modified, value }) => ({
              key,
              created,
              modified,
              value: Buffer.from(value).toString(),
            }));
          assert.deepEqual(plain(found), plain(entries.filter(({ key }) => !expiring.has(key))));
          assert.equal(contents.revision, revision);
        } finally {
          await store.close();
        }
      }),
      { numRuns: 30 },
    );
  });

  test("[INST-4] a backup is its owner's alone, and replaces no file", async () => {
    const file = await backUpOf(["/a", "/b"]);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await assert.rejects(writeBackup(file, { head, files: {}, entries: none() }), /EEXIST/);
    assert.equal((await verifyBackup(file)).count, 2);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.endsWith(".unfinished")),
      [],
    );
  });

  test("[INST-4] a backup that was cut off or altered anywhere is refused", async () => {
    const whole = await readFile(await backUpOf(["/a", "/b", "/c"]));
    const file = place();
    const damage = fc.oneof(
      fc.nat(whole.length - 1).map((end) => whole.subarray(0, end)),
      fc
        .record({ at: fc.nat(whole.length - 1), by: fc.integer({ min: 1, max: 255 }) })
        .map(({ at, by }) => {
          const altered = Buffer.from(whole);
          altered[at] = (altered[at] ?? 0) ^ by;
          return altered;
        }),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (content) => {
        await writeFile(file, content);
        const verified = await verifyBackup(file).then(
          (backup) => backup,
          (error: unknown) => error,
        );
        // A few bits of gzip's head mean nothing; what was read is then what was written.
        if (isDamaged(verified)) return;
        assert.deepEqual(verified, {
          head: { format: "tandem-backup/1", ...head },
          files: { "ca.crt": "root" },
          count: 3,
        });
      }),
      { numRuns: 300 },
    );
  });

  test("[INST-4] a restored store has the entries with their revisions, and clients that watch begin anew", async () => {
    const file = await backUpOf(["/a", "/b"]);
    const directory = place();
    await restoreFrom(file, directory);
    const store = await openEmbedded({ directory });
    try {
      const { entries, revision } = await store.list("/");
      assert.deepEqual(shown(entries), ["/a=value of /a", "/b=value of /b"]);
      assert.deepEqual(
        entries.map(({ modified }) => modified),
        [2, 3],
      );
      assert.ok(revision > head.revision);
      const { signal } = new AbortController();
      const watched = store.watch("/", { after: head.revision + 5, signal });
      await assert.rejects(Array.fromAsync(watched), isExpired);
      assert.ok((await put(store, "/new", "x")).revision > revision);
    } finally {
      await store.close();
    }
  });

  test("[INST-4] a store that is in use or holds something is not restored over, unless told to replace it", async () => {
    const file = await backUpOf(["/a"]);
    const directory = place();
    const store = await openEmbedded({ directory });
    await put(store, "/mine", "precious");
    await assert.rejects(restoreFrom(file, directory, true), isInUse);
    await store.close();
    await assert.rejects(restoreFrom(file, directory), isInvalid);
    await restoreFrom(file, directory, true);
    const replaced = (await readdir(folder)).filter((name) => name.includes(".replaced-"));
    assert.equal(replaced.length, 1);
    const old = await openEmbedded({ directory: join(folder, replaced[0] ?? "") });
    assert.deepEqual(shown((await old.list("/")).entries), ["/mine=precious"]);
    await old.close();
  });

  test("[INST-4] files that are no store's are moved aside by a restore, not removed", async () => {
    const file = await backUpOf(["/a"]);
    const directory = place();
    await mkdir(directory);
    await writeFile(join(directory, "letter"), "dear");
    await restoreFrom(file, directory);
    const [aside = ""] = (await readdir(folder)).filter((name) =>
      join(folder, name).startsWith(`${directory}.replaced-`),
    );
    assert.equal(await readFile(join(folder, aside, "letter"), "utf8"), "dear");
  });

  test("[INST-4] a store that lost what it had acknowledged is not backed up", async () => {
    const directory = place();
    const store = await openEmbedded({ directory });
    await put(store, "/a", "one");
    await put(store, "/b", "two");
    await store.close();
    const [log = assert.fail()] = (await readdir(directory)).filter((name) =>
      name.endsWith(".log"),
    );
    const content = await readFile(join(directory, log));
    await writeFile(join(directory, log), content.subarray(0, content.length - 3));
    await assert.rejects(readEmbedded(directory), isDamaged);
    await assert.rejects(readEmbedded(place()), isInvalid);
  });

  async function backUpOf(keys: readonly string[]): Promise<string> {
    const directory = place();
    const store = await openEmbedded({ directory });
    for (const key of keys) await put(store, key, `value of ${key}`);
    const contents = await readEmbedded(directory);
    const file = place();
    await writeBackup(file, { head, files: { "ca.crt": "root" }, entries: contents.entries() });
    contents.close();
    await store.close();
    return file;
  }

  async function restoreFrom(path: string, directory: string, replace = false): Promise<void> {
    const backup = await verifyBackup(path);
    const now = () => new Date(0);
    const options = { path, backup, replace, lastPrefix: "/cluster/", now };
    await restoreStore({ type: "embedded", directory }, options);
  }
});

const head = { version: "1.2.3", time: "then", cluster: "sha256:0", revision: 10 };

async function* none(): AsyncGenerator<never> {}
