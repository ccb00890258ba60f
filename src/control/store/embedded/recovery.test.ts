import assert from "node:assert/strict";
import {
  copyFile,
  cp,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDamaged, isInUse } from "../errors.ts";
import type { Store } from "../port.ts";
import { keysOf, put, remove, shown, watchUntil } from "../testing/contract/fixture.ts";
import { openEmbedded } from "./open.system.ts";

test("[API-5] cut off at any byte, the log opens with every write that was whole", async () => {
  await withDirectory(async (directory) => {
    const log = join(directory, "0000000001.log");
    const states = new Map<number, string[]>();
    await withStore(directory, async (store) => {
      const note = async (): Promise<void> => {
        states.set((await readFile(log)).length, shown((await store.list("/")).entries));
      };
      await note();
      for (let i = 0; i < 3; i++) {
        await put(store, `/k/${i}`, `value ${i}`);
        await note();
      }
      await remove(store, "/k/1");
      await note();
    });
    const whole = await readFile(log);
    let expected: string[] | undefined;
    for (let size = Math.min(...states.keys()); size <= whole.length; size++) {
      expected = states.get(size) ?? expected;
      await writeFile(log, whole.subarray(0, size));
      await withStore(directory, async (store) => {
        const before = await store.revision();
        assert.deepEqual(shown((await store.list("/")).entries), expected);
        assert.equal((await put(store, "/after", "x")).revision, before + 1);
      });
      await withStore(directory, async (store) => assert.ok(await store.get("/after")));
    }
  });
});

test("[API-5] a broken byte in the last write drops that write; earlier ones are not dropped", async () => {
  await withDirectory(async (directory) => {
    const log = join(directory, "0000000001.log");
    let lastBegins = 0;
    await withStore(directory, async (store) => {
      await put(store, "/a", "1");
      await put(store, "/b", "1");
      lastBegins = (await readFile(log)).length;
      await put(store, "/c", "1");
    });
    const whole = await readFile(log);
    for (let at = lastBegins - 40; at < whole.length; at += 3) {
      const broken = Buffer.from(whole);
      broken[at] = (broken[at] as number) ^ 0x40;
      await writeFile(log, broken);
      if (at < lastBegins) {
        await assert.rejects(openEmbedded({ directory }), isDamaged);
      } else {
        await withStore(directory, async (store) => {
          assert.deepEqual(keysOf(await store.list("/")), ["/a", "/b"]);
        });
      }
    }
  });
});

test("[API-5] values that look like log frames do not confuse recovery", async () => {
  await withDirectory(async (directory) => {
    await using other = await temporaryDirectory();
    await withStore(other.path, async (store) => void (await put(store, "/a", "1")));
    const frames = await readFile(join(other.path, "0000000001.log"));
    await withStore(directory, async (store) => {
      await put(store, "/a", "1");
      const operations = [{ type: "put", key: "/frames", value: frames }] as const;
      await store.commit({ compare: [], operations });
    });
    const log = join(directory, "0000000001.log");
    await truncate(log, (await readFile(log)).length - 1);
    await withStore(directory, async (store) => {
      assert.deepEqual(keysOf(await store.list("/")), ["/a"]);
    });
  });
});

test("[API-5] a directory that is open cannot be opened again", async () => {
  await withDirectory(async (directory) => {
    await withStore(directory, async () => {
      await assert.rejects(openEmbedded({ directory }), isInUse);
    });
    await withStore(directory, async () => undefined);
  });
});

test("[API-5] a file that is missing or not ours is not passed over", async () => {
  await withDirectory(async (directory) => {
    await withStore(directory, async (store) => void (await put(store, "/a", "1")));
    await copyFile(join(directory, "0000000001.log"), join(directory, "0000000003.log"));
    await assert.rejects(openEmbedded({ directory }), isDamaged);
    await rm(join(directory, "0000000003.log"));
    await writeFile(join(directory, "0000000002.log"), "this is not a log of this store");
    await assert.rejects(openEmbedded({ directory }), isDamaged);
    // An empty file is left if the process dies while it creates the file.
    await writeFile(join(directory, "0000000002.log"), "");
    await withStore(directory, async (store) => assert.ok(await store.get("/a")));
  });
});

test("[API-5] a rewrite keeps what compaction kept, and gives the rest of the disk back", async () => {
  await withDirectory(async (directory) => {
    await using copy = await temporaryDirectory();
    let floor = 0;
    await withStore(directory, async (store) => {
      const filler = "x".repeat(2000);
      for (let i = 0; i < 300; i++) await put(store, `/k/${i % 7}`, `${i} ${filler}`);
      floor = (await remove(store, "/k/0")).revision;
      await put(store, "/k/1", "new");
      await remove(store, "/k/2");
      await cp(directory, copy.path, { recursive: true });
      const before = await statesOf(store, floor);
      const writing = Promise.all(
        Array.from({ length: 50 }, (_, i) => put(store, `/late/${i}`, `${i}`)),
      );
      await Promise.all([store.compact(floor), writing]);
      assert.deepEqual(
        (await logFiles(directory)).map((name) => name.split(".")[1]),
        ["snapshot", "log"],
      );
      assert.deepEqual(await statesOf(store, floor), before);
      assert.ok((await bytesIn(directory)) < (await bytesIn(copy.path)) / 10);
    });
    // Replaced files are left if the process dies before it removes them.
    await copyFile(join(copy.path, "0000000001.log"), join(directory, "0000000001.log"));
    await writeFile(join(directory, "snapshot.new"), "half of one");
    await withStore(directory, async (store) => {
      assert.deepEqual(
        (await logFiles(directory)).map((name) => name.split(".")[1]),
        ["snapshot", "log"],
      );
      assert.equal(keysOf(await store.list("/late/")).length, 50);
      assert.equal(await store.get("/k/0"), undefined);
      const changes = await watchUntil(store, { prefix: "/k/", after: floor, until: floor + 2 });
      assert.deepEqual(
        changes.map(({ type, key }) => `${type} ${key}`),
        ["put /k/1", "delete /k/2"],
      );
      assert.ok(changes.every(({ previous }) => previous !== undefined));
    });
    const snapshot = join(directory, "0000000001.snapshot");
    await truncate(snapshot, (await readFile(snapshot)).length - 1);
    await assert.rejects(openEmbedded({ directory }), isDamaged);
  });
});

/** Lists `/k/` at each revision from the given one on. */
async function statesOf(store: Store, from: number): Promise<string[][]> {
  const states: string[][] = [];
  for (let revision = from; revision <= from + 2; revision++) {
    states.push(shown((await store.list("/k/", { revision })).entries));
  }
  return states;
}

async function withStore(directory: string, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openEmbedded({ directory, spareBytes: 0, acceptLoss: true });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  await using directory = await temporaryDirectory();
  await use(directory.path);
}

async function temporaryDirectory(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "tandem-store-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

async function logFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => name !== "lock" && name !== "acknowledged").toSorted();
}

async function bytesIn(directory: string): Promise<number> {
  const sizes = await Promise.all(
    (await logFiles(directory)).map(async (name) => (await readFile(join(directory, name))).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test("[SEC-9] a log whose acknowledged end was cut off is refused as it is, and opened when that is accepted", async () => {
  await withDirectory(async (directory) => {
    await withStore(directory, async (store) => {
      await put(store, "/a", "1");
      await put(store, "/b", "1");
    });
    const log = join(directory, "0000000001.log");
    const { length } = await readFile(log);
    await truncate(log, length - 1);
    await assert.rejects(openEmbedded({ directory }), (error: Error) => {
      assert.ok(isDamaged(error));
      assert.match(
        error.message,
        /0000000001\.log ends at byte \d+, but \d+ bytes of it were acknowledged$/,
      );
      return true;
    });
    assert.equal((await readFile(log)).length, length - 1, "the file was changed");
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    const store = await openEmbedded({ directory, acceptLoss: true, warn });
    assert.deepEqual(keysOf(await store.list("/")), ["/a"]);
    await store.close();
    assert.match(warnings.join("\n"), /lost, and that was accepted/);
    await (await openEmbedded({ directory })).close();
  });
});

test("[SEC-9] logs that are missing altogether are refused", async () => {
  await withDirectory(async (directory) => {
    await withStore(directory, async (store) => void (await put(store, "/a", "1")));
    await rm(join(directory, "0000000001.log"));
    await assert.rejects(openEmbedded({ directory }), isDamaged);
  });
});
