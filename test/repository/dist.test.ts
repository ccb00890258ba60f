// What packages contain is enough to run, and every Debian package we install is declared or known not to be needed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { test } from "node:test";
import { debianVersion, relatedPackages } from "../../tools/dist/debian.ts";
import {
  compiledInRuntime,
  formatBillOfMaterials,
  productionPackages,
} from "../../tools/dist/locked-packages.ts";
import { productionSources } from "../../tools/dist/program-tree.ts";
import { importsOf } from "./imports.ts";

const sources = productionSources(".");

test("[INST-1] sources of packages import only each other, Node and production packages", () => {
  const packages = new Set(productionPackages(".").map(({ name }) => name));
  for (const file of sources) {
    const text = readFileSync(file, "utf8");
    for (const target of importsOf(file, text)) {
      // A template of a generator is no import.
      if (target.includes("$")) continue;
      assert.ok(sources.includes(target), `${file} imports ${target}`);
    }
    const bare = text.matchAll(
      /^(?:import(?! type)|export|\})[^"\n]*(?:from|import) "([^."\n][^"\n]*)"/gm,
    );
    for (const [, name = ""] of bare) {
      const owner = name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/");
      assert.ok(isBuiltin(name) || packages.has(owner), `${file} imports ${name}`);
    }
  }
});

test("[INST-1] every package of tools/packages.txt is declared, or known to be for builds and tests", () => {
  const { Depends } = relatedPackages(readFileSync("tools/packages.txt", "utf8"));
  assert.ok(Depends.includes("runc"));
  assert.throws(() => relatedPackages("unheard-of  a package"), /does not say/);
});

test("a prerelease sorts before its release", () => {
  assert.equal(debianVersion("1.0.0-rc.1"), "1.0.0~rc.1");
  assert.equal(debianVersion("1.0.0"), "1.0.0");
});

test("[INST-1] the bill of materials has each package once, with its version and digest, and no address", () => {
  const packages = [...productionPackages("."), compiledInRuntime(".")];
  const text = formatBillOfMaterials(packages, { version: "1.2.3", epoch: 0 });
  const { components } = JSON.parse(text) as {
    components: { purl: string; hashes: { content: string }[] }[];
  };
  assert.equal(new Set(components.map(({ purl }) => purl)).size, packages.length);
  for (const { hashes } of components) assert.match(hashes[0]?.content ?? "", /^[0-9a-f]{128}$/);
  assert.doesNotMatch(text, /https?:/);
});
