// Killed at any moment, a store keeps what it has acknowledged.

import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { openEmbedded } from "../../src/control/store/embedded/open.system.ts";
import { isInUse } from "../../src/control/store/errors.ts";
import { watchUntil } from "../../src/control/store/testing/contract/fixture.ts";
import type { WriterLine } from "../fixtures/store-writer.ts";

const rounds = process.env["TANDEM_SOAK"] === "1" ? 100 : 10;
const writer = join(import.meta.dirname, "../fixtures/store-writer.ts");

test(`[API-5] kill -9 in the midst of concurrent commits, ${rounds} times`, async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-store-"));
  const acknowledged = new Map<string, number>();
  const seen: string[] = [];
  let [position, newest, counted] = [1, 0, 0];
  try {
    for (let round = 0; round < rounds; round++) {
      const lines = await writeUntilKilled(directory, { round, after: position });
      for (const line of lines) {
        if (line.type === "acknowledged") {
          acknowledged.set(line.key, line.revision);
        } else if (line.type === "counted") {
          assert.ok(line.value > counted, "the counter went back");
          counted = line.value;
        } else {
          seen.push(...line.keys);
          position = line.revision;
        }
      }
      newest = await checkSurvival(directory, { acknowledged, counted, newest });
    }
    await checkWatched(directory, { seen, position });
    const files = await readdir(directory);
    assert.ok(
      files.some((name) => name.endsWith(".snapshot")),
      "the log was never rewritten",
    );
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("[API-5] a disk that is full refuses writes, and loses none", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-store-"));
  try {
    const script = join(import.meta.dirname, "../fixtures/store-full-disk.ts");
    const mount = `mount -t tmpfs -o size=4m none ${directory} && exec "$@"`;
    const namespaces = ["unshare", "--mount", "--user", "--map-root-user"];
    const command = [...namespaces, "sh", "-c", mount, "sh", process.execPath, script, directory];
    await systemCommands().run(command, { environment: { NODE_EXTRA_CA_CERTS: undefined } });
  } finally {
    await rm(directory, { recursive: true });
  }
});

/** Lets a process write for a while, and returns what it has said. */
async function writeUntilKilled(
  directory: string,
  { round, after }: { round: number; after: number },
): Promise<WriterLine[]> {
  const lines: WriterLine[] = [];
  // How far it gets differs from round to round.
  const enough = 50 + ((round * 137) % 400);
  const command = [process.execPath, writer, directory, String(round), String(after)];
  let reached: () => void = () => undefined;
  const far = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const complaints: string[] = [];
  const running = await systemCommands().start(command, {
    diesWithParent: true,
    environment: { NODE_EXTRA_CA_CERTS: undefined },
    onLine: (line, stream) => {
      if (stream === "stderr") return void complaints.push(line);
      lines.push(...parsed(line));
      if (lines.length >= enough) reached();
    },
  });
  await Promise.race([far, running.exited]);
  if (round === 0) await assert.rejects(openEmbedded({ directory }), isInUse);
  running.kill("SIGKILL");
  const { signal } = await running.exited;
  assert.equal(signal, "SIGKILL", complaints.join("\n"));
  return lines;
}

/** The last line may have been cut off. */
function parsed(line: string): WriterLine[] {
  try {
    return [JSON.parse(line) as WriterLine];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

interface Expected {
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly counted: number;
  readonly newest: number;
}

/** Returns the store's revision. */
async function checkSurvival(
  directory: string,
  { acknowledged, counted, newest }: Expected,
): Promise<number> {
  const store = await openEmbedded({ directory });
  try {
    const { entries, revision } = await store.list("/round/");
    const kept = new Map(entries.map(({ key, modified }) => [key, modified]));
    for (const [key, modified] of acknowledged) {
      assert.equal(kept.get(key), modified, `${key} was acknowledged at revision ${modified}`);
    }
    assert.ok(revision >= newest, "the revision went back");
    assert.equal(new Set(kept.values()).size, kept.size, "two transactions share a revision");
    const counter = await store.get("/counter");
    const value = counter === undefined ? 0 : Number(Buffer.from(counter.value).toString());
    assert.ok(value >= counted, "an increment is lost");
    return revision;
  } finally {
    await store.close();
  }
}

/** What the watches saw, one going on where the other was killed, is what is there: each once. */
async function checkWatched(
  directory: string,
  { seen, position }: { seen: readonly string[]; position: number },
): Promise<void> {
  const store = await openEmbedded({ directory });
  try {
    const { entries, revision } = await store.list("/round/");
    const rest =
      position < revision
        ? await watchUntil(store, { prefix: "/round/", after: position, until: revision })
        : [];
    const all = [...seen, ...rest.map(({ key }) => key)].toSorted();
    assert.ok(seen.length > 0);
    assert.deepEqual(all, entries.map(({ key }) => key).toSorted());
  } finally {
    await store.close();
  }
}
