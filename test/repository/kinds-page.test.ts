import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { resources } from "../../src/api/schema/resources.ts";

test("[API-7] docs/kinds.md has every kind that is served, and no other", () => {
  const page = readFileSync(new URL("../../docs/kinds.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => /^\| (?:core|[a-z0-9.]+)\/v/.test(line));
  const listed = rows.flatMap((row) => {
    const [, versions = "", kinds = ""] = row.split("|").map((cell) => cell.trim());
    return versions
      .split(", ")
      .flatMap((version) => kinds.split(", ").map((kind) => `${version}/${kind}`));
  });
  const served = resources.map(
    ({ group, version, kind }) => `${group === "" ? "core" : group}/${version}/${kind}`,
  );
  assert.deepEqual(listed.toSorted(), served.toSorted());
});
