// Every component has a README in one shape, and what it names exists.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { floors } from "./imports.ts";

const headings = ["## In and out", "## Read in this order", "## To add one more"];

for (const { name: floor, components } of floors) {
  for (const component of Object.keys(components)) {
    const folder = `src/${floor}/${component}`;
    test(`${folder} has a README that tells what for, in and out, reading order and how to add one more`, () => {
      const text = readFileSync(`${folder}/README.md`, "utf8");
      assert.match(text, new RegExp(`^# ${component}\n\n\\S`));
      for (const heading of headings) assert.ok(text.includes(`\n${heading}\n`), heading);
      const named = [...text.matchAll(/^- `([^`]+)`/gm)].map(([, file]) => `${folder}/${file}`);
      assert.ok(named.length > 0);
      assert.deepEqual(
        named.filter((file) => !existsSync(file)),
        [],
      );
    });
  }
}
