// Imports go down the floors and through doors: see docs/architecture.md.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Imports, importsOf, readImports, violations } from "./imports.ts";

test("no import of the tree goes up a floor, past a door, or in a circle", () => {
  assert.deepEqual(violations(readImports()), []);
});

const wrong: [name: string, imports: Imports, message: RegExp][] = [
  ["up a floor", { "src/base/net/a.ts": ["src/api/kinds/b.ts"] }, /base\/net must not import api/],
  [
    "across a floor",
    { "src/edge/vip/a.ts": ["src/edge/dns/dns.ts"] },
    /edge\/vip must not import edge\/dns/,
  ],
  [
    "between floors that stand side by side",
    { "src/edge/dns/a.ts": ["src/node/proxy/proxy.ts"] },
    /edge\/dns must not import node\/proxy/,
  ],
  [
    "the store, which is the API server's",
    { "src/node/ipam/a.ts": ["src/control/store/store.ts"] },
    /node\/ipam must not import control\/store/,
  ],
  [
    "past a door",
    { "src/cli/a.ts": ["src/node/proxy/plan/plan.ts"] },
    /plan\/plan.ts is not a door of node\/proxy/,
  ],
  [
    "past the one door of an upper floor",
    { "src/cli/a.ts": ["src/node/proxy/settings.ts"] },
    /settings.ts is not a door of node\/proxy/,
  ],
  [
    "test support in production code",
    { "src/api/client/a.ts": ["src/base/host/clock.fake.ts"] },
    /clock.fake.ts is for tests/,
  ],
  ["tests", { "src/base/net/a.ts": ["test/fixtures/etcd.ts"] }, /src must not import test/],
  ["an unknown folder", { "src/utils/a.ts": [] }, /src\/utils\/a.ts: its folder is no component/],
  [
    "a circle",
    { "src/base/net/a.ts": ["src/base/net/b.ts"], "src/base/net/b.ts": ["src/base/net/a.ts"] },
    /circle: src\/base\/net\/a.ts → src\/base\/net\/b.ts → src\/base\/net\/a.ts/,
  ],
];
for (const [name, imports, message] of wrong) {
  test(`an import violation is found: ${name}`, () => {
    assert.match(violations(imports).join("\n"), message);
  });
}

test("an import through a door, and of test support by a test, is allowed", () => {
  const imports = {
    "src/cli/a.ts": ["src/node/proxy/proxy.ts", "src/node/proxy/modes.ts"],
    "src/edge/dns/a.test.ts": ["src/base/host/clock.fake.ts", "src/api/client/testing/api.ts"],
    "src/programs/check/a.ts": ["src/inspect/check/check.ts", "src/programs/connect/connect.ts"],
  };
  assert.deepEqual(violations(imports), []);
});

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
  assert.deepEqual(importsOf("src/base/net/x.ts", text), [
    "src/base/net/a.ts",
    "src/base/net/b.ts",
    "src/base/net/c.ts",
    "src/base/net/d.ts",
    "src/base/net/e.ts",
  ]);
});
