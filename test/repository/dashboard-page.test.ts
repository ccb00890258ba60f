// The page of the dashboard stays small, and needs nothing but itself.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { systemCommands } from "../../src/base/host/command.system.ts";

const root = join(import.meta.dirname, "../..");
const mostBytes = 150_000;
let directory = "";

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "dashboard-page-"));
  await systemCommands().run([join(root, "tools/build-page"), directory]);
});
after(() => rmSync(directory, { recursive: true }));

test("the page takes less than 150 kB on its way, compressed", () => {
  const files = readdirSync(directory);
  assert.deepEqual(files.toSorted(), ["icon.svg", "index.html", "page.css", "page.js"]);
  const sizes = files.map((name) => gzipSync(readFileSync(join(directory, name))).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < mostBytes, `${total} bytes`);
});

test("the page names no other server, and has no script or style within its HTML", () => {
  const read = (name: string) => readFileSync(join(directory, name), "utf8");
  // Namespaces of XML look like addresses, and are none.
  const names = read("page.js").match(/https?:\/\/[\w.-]+/g) ?? [];
  assert.deepEqual(
    names.filter((name) => !name.endsWith("//www.w3.org")),
    [],
  );
  assert.doesNotMatch(read("page.css"), /url\(|@import/);
  assert.doesNotMatch(read("index.html"), /<style|style=|<script(?![^>]*src=)|\son\w+=/);
  assert.doesNotMatch(read("page.js"), /\beval\(|new Function\(|\.innerHTML\s*=\s*"/);
});
