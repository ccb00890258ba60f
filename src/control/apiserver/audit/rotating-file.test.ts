import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "../../../base/program/log.ts";
import { RotatingFile } from "./rotating-file.system.ts";

const log = createLog({ write: () => undefined, format: "text", level: "error" });

test("[SEC-7] a full log is set aside, no line is lost or cut, and only so many are kept", async () => {
  const directory = await mkdtemp(join(tmpdir(), "audit-"));
  try {
    let time = Date.UTC(2026, 0, 1);
    const path = join(directory, "audit.log");
    const options = { path, maxSize: 100, maxBackups: 3, maxAge: 0, log };
    {
      await using file = new RotatingFile({ ...options, now: () => new Date((time += 1000)) });
      for (let n = 0; n < 50; n++) file.write(`line number ${String(n).padStart(3, "0")}\n`);
    }
    const names = (await readdir(directory)).toSorted();
    assert.equal(names.length, 4, names.join(" "));
    const texts = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
    for (const text of texts) {
      assert.ok(text.length <= 100);
      assert.match(text, /^(?:line number \d{3}\n)+$/);
    }
    assert.match(texts[names.indexOf("audit.log")] ?? "", /line number 049\n$/);
  } finally {
    await rm(directory, { recursive: true });
  }
});
