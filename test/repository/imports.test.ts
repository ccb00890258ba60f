// Imports point one way: see docs/architecture.md.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Imports, importsOf, readImports, violations } from "./imports.ts";

test("no import points upward, across components, or in a circle", () => {
  assert.deepEqual(violations(readImports()), []);
});

const wrong: [name: string, imports: Imports, message: RegExp][] = [
  ["upward", { "src/net/a.ts": ["src/api/b.ts"] }, /net must not import api/],
  ["across components", { "src/proxy/a.ts": ["src/dns/b.ts"] }, /proxy must not import dns/],
  ["the store", { "src/ipam/a.ts": ["src/store/b.ts"] }, /ipam must not import store/],
  ["tests", { "src/net/a.ts": ["test/fixtures/etcd.ts"] }, /src must not import test/],
  [
    "an unknown folder",
    { "src/utils/a.ts": [] },
    /src\/utils is not in the list of docs\/architecture.md/,
  ],
  [
    "a circle",
    { "src/net/a.ts": ["src/net/b.ts"], "src/net/b.ts": ["src/net/a.ts"] },
    /circle: src\/net\/a.ts → src\/net\/b.ts → src\/net\/a.ts/,
  ],
];
for (const [name, imports, message] of wrong) {
  test(`an import violation is found: ${name}`, () => {
    assert.match(violations(imports).join("\n"), message);
  });
}

test("every way to import a file is seen", () => {
  const text = `
    import { a } from "./a.ts";
    import type { b } from "./b.ts";
    import "./c.ts";
    export { d } from "./d.ts";
    const e = await import("./e.ts");
    import fs from "node:fs";
    // import { g } from "./g.ts"
  `;
  assert.deepEqual(importsOf("src/net/x.ts", text), [
    "src/net/a.ts",
    "src/net/b.ts",
    "src/net/c.ts",
    "src/net/d.ts",
    "src/net/e.ts",
  ]);
});
