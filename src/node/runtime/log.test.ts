import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { rotateLog } from "./log/rotate.system.ts";
import { type LogOptions, readLog } from "./log.ts";

const directory = await mkdtemp(join(tmpdir(), "tandem-log-"));
after(() => rm(directory, { recursive: true }));
let files = 0;

function second(n: number): string {
  return `2026-01-01T00:00:${String(n).padStart(2, "0")}.000000001+00:00`;
}

async function logOf(...lines: readonly string[]): Promise<string> {
  const path = join(directory, `${files++}.log`);
  await writeFile(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

async function textOf(path: string, options?: LogOptions): Promise<string> {
  return Buffer.concat(await Array.fromAsync(readLog(path, options))).toString();
}

const three = [
  `${second(1)} stdout F one`,
  `${second(2)} stderr F two`,
  `${second(3)} stdout F three`,
];

test("both streams are printed in order, without what the file says of them", async () => {
  assert.equal(await textOf(await logOf(...three)), "one\ntwo\nthree\n");
});

test("a log file that does not exist reads as an empty log", async () => {
  assert.equal(await textOf(join(directory, "none.log")), "");
  assert.equal(await textOf(join(directory, "none/0.log"), { tailLines: 1 }), "");
});

test("pieces of a line are joined, and the whole has one time", async () => {
  const path = await logOf(
    `${second(1)} stdout P on`,
    `${second(2)} stdout F e`,
    ...three.slice(1),
  );
  assert.equal(await textOf(path), "one\ntwo\nthree\n");
  const stamped = await textOf(path, { timestamps: true, limitBytes: 40 });
  assert.equal(stamped, `${second(1)} one\n`);
});

test("only the last lines, only the later ones, only so many bytes", async () => {
  const path = await logOf(...three);
  assert.equal(await textOf(path, { tailLines: 2 }), "two\nthree\n");
  assert.equal(await textOf(path, { tailLines: 0 }), "");
  assert.equal(await textOf(path, { tailLines: 9 }), "one\ntwo\nthree\n");
  assert.equal(await textOf(path, { since: new Date(second(2)) }), "two\nthree\n");
  assert.equal(await textOf(path, { limitBytes: 5 }), "one\nt");
});

test("a long log has its last lines found from behind", async () => {
  const path = await logOf(
    ...Array.from({ length: 5000 }, (_, n) => `${second(1)} stdout F line ${n}`),
  );
  const lines = (await textOf(path, { tailLines: 2000 })).trimEnd().split("\n");
  assert.deepEqual([lines.length, lines[0], lines.at(-1)], [2000, "line 3000", "line 4999"]);
});

test("a line that is none is left out", async () => {
  assert.equal(await textOf(await logOf("2026-01-0", ...three.slice(2))), "three\n");
});

test("a large log is put aside, the oldest go, and it reads as one", async () => {
  const path = await logOf(`${second(1)} stdout F 1`);
  for (const n of [2, 3, 4]) {
    assert.equal(await rotateLog(path, { maxBytes: 10, kept: 2 }), true);
    await writeFile(path, `${second(n)} stdout F ${n}\n`);
  }
  assert.equal(await rotateLog(path, { maxBytes: 1000, kept: 2 }), false);
  assert.equal(await textOf(path), "2\n3\n4\n");
  assert.equal(await textOf(path, { tailLines: 2 }), "3\n4\n");
  const names = await readdir(directory);
  assert.equal(names.filter((name) => path.endsWith(name.replace(/\.\d$/, ""))).length, 3);
});

test("what is followed goes on through rotation until its container has exited", async () => {
  const path = await logOf(`${second(1)} stdout F 1`);
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  let text = "";
  const reading = (async () => {
    for await (const piece of readLog(path, { follow: exited })) {
      text += Buffer.from(piece).toString();
      if (text.endsWith("1\n")) {
        await appendFile(path, `${second(2)} stdout F 2\n`);
      } else if (text.endsWith("2\n")) {
        await rename(path, `${path}.1`);
        await appendFile(`${path}.1`, `${second(3)} stdout F 3\n`);
        await writeFile(path, `${second(4)} stdout F 4\n`);
      } else if (text.endsWith("4\n")) {
        await appendFile(path, `${second(5)} stdout F 5\n`);
        exit();
      }
    }
  })();
  await reading;
  assert.equal(text, "1\n2\n3\n4\n5\n");
});

test("following a log ends when its reader aborts", { timeout: 10_000 }, async () => {
  const path = await logOf(...three);
  const left = new AbortController();
  const forever = new Promise(() => {});
  let text = "";
  for await (const piece of readLog(path, { follow: forever, signal: left.signal })) {
    text += Buffer.from(piece).toString();
    if (text.endsWith("three\n")) left.abort();
  }
  assert.equal(text, "one\ntwo\nthree\n");
});
