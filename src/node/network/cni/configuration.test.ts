import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeFiles } from "../../../base/host/files.fake.ts";
import { parseNetwork, serviceControllerKey } from "./configuration.ts";
import { openNetworkDirectory } from "./directory.ts";
import { isIncompatibleVersion, isInvalidConfiguration } from "./error.ts";
import { type CniVersion, negotiate } from "./versions.ts";

const parse = (source: unknown) => parseNetwork(source, { where: "a.conflist" });
const plugins = [{ type: "bridge", ipam: { type: "host-local" }, capabilities: { ips: true } }];

test("[CNI-1] a conf is a list of one plugin", () => {
  const network = parse({ cniVersion: "1.0.0", name: "pods", type: "ptp", mtu: 1400 });
  assert.equal(network.name, "pods");
  assert.deepEqual(
    network.plugins.map(({ type, source }) => [type, source["mtu"]]),
    [["ptp", 1400]],
  );
  assert.deepEqual(parse(network.source), network);
});

test("[CNI-1] a list has its flags, its plugins and what they declare", () => {
  const network = parse({
    cniVersion: "0.4.0",
    name: "pods",
    disableCheck: true,
    disableGC: "true",
    [serviceControllerKey]: "blue",
    plugins: [...plugins, { type: "portmap", capabilities: { portMappings: true, no: false } }],
  });
  assert.deepEqual(network.versions, ["0.3.0", "0.3.1", "0.4.0"]);
  assert.deepEqual([network.disableCheck, network.disableGC], [true, true]);
  assert.equal(network.serviceController, "blue");
  assert.deepEqual(
    network.plugins.map(({ type, ipam, capabilities }) => [type, ipam, capabilities]),
    [
      ["bridge", "host-local", ["ips"]],
      ["portmap", undefined, ["portMappings"]],
    ],
  );
});

test("[CNI-1] a list of versions is meant as it stands", () => {
  const { versions } = parse({ cniVersions: ["0.4.0", "1.1.0", "9.0.0"], name: "pods", plugins });
  assert.deepEqual(versions, ["0.4.0", "1.1.0"]);
});

test("[CNI-1] the newest version that every plugin supports is agreed on", () => {
  const old: readonly CniVersion[] = ["0.3.1", "0.4.0", "1.0.0"];
  const support = new Map([
    ["bridge", old],
    ["tandem-ipam", [...old, "1.1.0" as const]],
  ]);
  assert.equal(negotiate(["0.4.0", "1.0.0", "1.1.0"], support), "1.0.0");
  assert.throws(
    () => negotiate(["1.1.0"], support),
    (error: Error) => {
      assert.match(
        error.message,
        /allows 1\.1\.0, its plugins support bridge 0\.3\.1, 0\.4\.0, 1\.0\.0; /,
      );
      return isIncompatibleVersion(error);
    },
  );
});

const refused: readonly (readonly [unknown, string])[] = [
  [[], "Cannot use [] of a.conflist: it must be an object"],
  [{ name: "x", plugins }, "Cannot use cniVersion of a.conflist: it is missing"],
  [
    { cniVersion: "0.2.0", name: "x", plugins },
    'Cannot use cniVersion "0.2.0" of a.conflist: it is not known, supported are 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0',
  ],
  [{ cniVersion: "1.0.0", plugins }, "Cannot use name of a.conflist: it is missing"],
  [
    { cniVersion: "1.0.0", name: "../x", plugins },
    'Cannot use name "../x" of a.conflist: it must be of letters, digits, dots, underscores and hyphens',
  ],
  [
    { cniVersion: "1.0.0", name: "x", plugins: [{}] },
    "Cannot use plugins[0].type of a.conflist: it is missing",
  ],
  [
    { cniVersion: "1.0.0", name: "x", plugins: [{ type: "../../bin/sh" }] },
    'Cannot use plugins[0].type "../../bin/sh" of a.conflist: it must be the name of a program, not a path',
  ],
  [
    { cniVersion: "1.0.0", name: "x", plugins: [{ type: "a", ipam: { type: 5 } }] },
    "Cannot use plugins[0].ipam.type 5 of a.conflist: it must be a string",
  ],
  [
    { cniVersion: "1.0.0", name: "x", plugins: "bridge" },
    'Cannot use plugins "bridge" of a.conflist: it must be a list',
  ],
  [
    { cniVersion: "1.0.0", name: "x", disableCheck: 1, plugins },
    "Cannot use disableCheck 1 of a.conflist: it must be true or false",
  ],
  [
    { cniVersion: "1.0.0", name: "x", loadOnlyInlinedPlugins: true, plugins: [] },
    "Cannot use plugins [] of a.conflist: it must name at least one plugin",
  ],
];
for (const [source, message] of refused) {
  test(`[CNI-1] refused: ${message}`, () => {
    assert.throws(
      () => parse(source),
      (error: Error) => {
        assert.equal(error.message, message);
        return isInvalidConfiguration(error);
      },
    );
  });
}

describe("[CNI-1] a directory of configurations", () => {
  const files = new FakeFiles();
  const put = (name: string, json: unknown) => files.write(`/net.d/${name}`, JSON.stringify(json));
  const directory = openNetworkDirectory(files, "/net.d");

  test("without files has no first network and none by name", async () => {
    assert.equal(await directory.first(), undefined);
    assert.equal(await directory.named("pods"), undefined);
  });

  test("has a first one, and others by name", async () => {
    await put("20-b.conf", { cniVersion: "1.0.0", name: "b", type: "ptp" });
    await put("10-a.conflist", { cniVersion: "1.0.0", name: "a", plugins });
    await put("00-readme.txt", "not a configuration");
    assert.equal((await directory.first())?.name, "a");
    assert.equal((await directory.named("b"))?.plugins[0]?.type, "ptp");
  });

  test("has plugins in folders, unless a list wants its own alone", async () => {
    await put("a/50-tuning.conf", { type: "tuning" });
    const types = async () => (await directory.first())?.plugins.map(({ type }) => type);
    assert.deepEqual(await types(), ["bridge", "tuning"]);
    const alone = { cniVersion: "1.0.0", name: "a", loadOnlyInlinedPlugins: true, plugins };
    await put("10-a.conflist", alone);
    assert.deepEqual(await types(), ["bridge"]);
  });

  test("a broken file is named, and hides only itself", async () => {
    await files.write("/net.d/05-bad.conf", "{");
    await assert.rejects(directory.first(), /^CniError: Cannot read \/net\.d\/05-bad\.conf: /);
    assert.equal((await directory.named("b"))?.name, "b");
    await assert.rejects(directory.named("none"), /05-bad\.conf/);
  });
});
