// What packages contain is enough to run, and every Debian package we install is declared or known not to be needed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { test } from "node:test";
import { debianVersion, relatedPackages } from "../../tools/dist/debian.ts";
import { parseInstalled, withDependencies } from "../../tools/dist/image/debian-packages.ts";
import { isWanted } from "../../tools/dist/image/debian-root.ts";
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

test("[INST-6] the image has packages with all they depend on, but for what only installs them", () => {
  const installed = parseInstalled(
    [
      "a\t1:2-3\tamd64\t,libb (>= 1) | c, virtual, adduser\t\tinstalled",
      "libb\t2\tamd64\tdpkg:any,libb-data\t\tinstalled",
      "libb-data\t2\tall\t,\t\tinstalled",
      "real\t1\tamd64\t,\tvirtual (= 1)\tinstalled",
      "gone\t1\tamd64\t,\t\tconfig-files",
      "",
    ].join("\n"),
  );
  const names = (list: readonly string[]) =>
    withDependencies(list, installed).map(({ name }) => name);
  assert.deepEqual(names(["a"]), ["a", "libb", "libb-data", "real"]);
  assert.throws(() => names(["gone"]), /Cannot put gone into the image: gone is not installed/);
});

test("[INST-6] of packages the image has programs, libraries and licences", () => {
  const paths = {
    "/usr/sbin/nft": true,
    "/usr/lib/x86_64-linux-gnu/libc.so.6": true,
    "/usr/share/doc/nftables/copyright": true,
    "/usr/share/doc/nftables/changelog.gz": false,
    "/usr/share/man/man8/nft.8.gz": false,
    "/etc/haproxy/haproxy.cfg": false,
    "/usr/bin/perl": true,
    "/usr/lib/x86_64-linux-gnu/perl-base/Socket.pm": true,
    "/usr/lib/x86_64-linux-gnu/perl/5.36.0/Storable.pm": false,
    "/etc/protocols": true,
    "/var/lib/anything": false,
  };
  for (const [path, is] of Object.entries(paths)) assert.equal(isWanted(path), is, path);
});
