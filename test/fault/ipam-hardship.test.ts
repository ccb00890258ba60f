// Exhaustion, broken configurations, bad disks and sizes: a clear error or the right answer.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { Prefix } from "../../src/base/net/prefix.ts";
import { openDatastore } from "../../src/node/ipam/datastore/open.ts";
import { poolName } from "../../src/node/ipam/datastore/port.ts";
import {
  addressesOf,
  assertError,
  callCni,
  cniEnvironment,
  ipamProgram,
  type Json,
} from "../fixtures/ipam.ts";

const commands = systemCommands();
const scratch = mkdtempSync(join(tmpdir(), "tandem-ipam-"));
after(() => rmSync(scratch, { recursive: true }));

function networkOf(ipam: Json): Json {
  return {
    cniVersion: "1.1.0",
    name: "hard",
    type: "bridge",
    ipam: { type: "tandem-ipam", datastore: "local", ...ipam },
  };
}

function add(network: Json, container: string, pod = container) {
  return callCni(commands, { command: "ADD", network, container, pod, netns: "/proc/self/ns/net" });
}

test("[IPAM-3] [IPAM-6] 40 processes and 14 addresses: 14 succeed, 26 are told that the range is full", async () => {
  const network = networkOf({
    data_dir: join(scratch, "exhausted"),
    ipRanges: [{ range: "10.9.0.0/28" }, { range: "fd09::/64" }],
  });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => add(network, `c${n}`)));
  const failures = answers.filter(({ failed }) => failed);
  for (const { json } of failures) {
    assertError(json, 100);
    assert.match(String(json.msg), /10.9.0.0\/28 .*all 14 usable addresses are taken/);
  }
  const given = answers.flatMap(({ json }) => addressesOf(json));
  assert.equal(failures.length, 26);
  assert.equal(new Set(given).size, 28);
});

const broken: [what: string, input: string, code: number][] = [
  ["cut off", '{"cniVersion":"1.1.0",', 6],
  ["not UTF-8", "\u0000\ufffd", 6],
  ["a bad exclude", JSON.stringify(networkOf({ range: "10.0.0.0/8", exclude: ["x"] })), 7],
  ["a bad start", JSON.stringify(networkOf({ range: "10.0.0.0/8", range_start: "x" })), 7],
  ["no ranges", JSON.stringify(networkOf({})), 7],
  ["an unknown store", JSON.stringify(networkOf({ datastore: "tape", range: "10.0.0.0/8" })), 7],
  ["a version to come", JSON.stringify({ ...networkOf({}), cniVersion: "9.0.0" }), 1],
];
for (const [what, input, code] of broken) {
  test(`[IPAM-6] a configuration that is broken (${what}) is error ${code}`, async () => {
    const call = { command: "ADD", network: {}, container: "c", netns: "/x" } as const;
    const environment = cniEnvironment(call);
    const failure = await commands
      .run([ipamProgram], { stdin: input, environment })
      .catch((error: unknown) => error);
    assert.ok(failure instanceof CommandError);
    assert.equal(failure.exitCode, 1);
    assertError(JSON.parse(failure.stdout) as Json, code);
  });
}

const disks: [what: string, mount: string, code: number][] = [
  ["read-only", "ro", 5],
  ["full", "size=4k", 5],
];
for (const [what, options, code] of disks) {
  test(`[IPAM-6] a disk that is ${what} is error ${code}, in ADD and in DEL`, async () => {
    const directory = join(scratch, what);
    mkdirSync(directory);
    const network = networkOf({ data_dir: directory, range: "10.0.0.0/8" });
    for (const command of ["ADD", "DEL"] as const) {
      const call = { command, network, container: "c", netns: "/x" };
      const onDisk = `mount -t tmpfs -o ${options} none '${directory}' && exec '${ipamProgram}'`;
      const failure = await commands
        .run(["unshare", "--mount", "sh", "-c", onDisk], {
          stdin: JSON.stringify(network),
          environment: cniEnvironment(call),
        })
        .catch((error: unknown) => error);
      assert.ok(failure instanceof CommandError, `${command} fails`);
      const error = JSON.parse(failure.stdout) as Json;
      assertError(error, code);
      assert.ok(String(error.msg).includes(directory));
    }
  });
}

test("[IPAM-6] an etcd that is out of reach is error 11, for STATUS 50", async () => {
  const ipam = { datastore: "etcd", etcd_host: "127.0.0.1:1", range: "10.0.0.0/8" };
  const network = { ...networkOf({}), ipam: { type: "tandem-ipam", ...ipam } };
  const [added, status] = await Promise.all([
    add(network, "c"),
    callCni(commands, { command: "STATUS", network }),
  ]);
  assertError(added.json, 11);
  assertError(status.json, 50);
});

test("[IPAM-6] a database that is no database is error 5, and is left alone", async () => {
  const directory = join(scratch, "damaged");
  const network = networkOf({ data_dir: directory, range: "10.0.0.0/8" });
  await add(network, "c1");
  const { stdout } = await commands.run(["find", directory, "-name", "*.db"]);
  writeFileSync(stdout.trim(), "this was a database once".repeat(1000));
  assertError((await add(network, "c2")).json, 5);
});

test("[NET-4] a pool with 50,000 allocations answers with the lowest free address", async () => {
  const directory = join(scratch, "large");
  const range = Prefix.parse("10.0.0.0/15");
  const pool = { name: poolName({ network: "", range }), range, network: "", guarded: true };
  const datastore = await openDatastore({ type: "local", dataDir: directory });
  await datastore.transact({ pools: [pool] }, (view) => {
    for (let n = 1n; n <= 50_000n; n++) {
      if (n === 40_000n) continue;
      const owner = `default/pod-${n}`;
      view.put({ pool, address: range.at(n), owner, ifname: "eth0", containerId: `c${n}` });
    }
  });
  await datastore.close();
  const network = networkOf({ data_dir: directory, range: "10.0.0.0/15" });
  assert.deepEqual(addressesOf((await add(network, "new")).json), ["10.0.156.64"]);
  assert.deepEqual(addressesOf((await add(network, "newer")).json), ["10.0.195.81"]);
  assert.deepEqual(addressesOf((await add(network, "c9", "pod-9")).json), ["10.0.0.9"]);
});

test("[NET-4] an IPv6 /32, its far end, and 5,000 excludes", async () => {
  const network = networkOf({
    data_dir: join(scratch, "wide"),
    ipRanges: [
      { range: "2001:db8::/32" },
      { range: "2001:db8::/32", range_start: "2001:db8:ffff:ffff:ffff:ffff:ffff:fffe" },
      {
        range: "10.0.0.0/8",
        exclude: Array.from({ length: 5000 }, (_, n) => `10.0.${(2 * n) >> 8}.${(2 * n) & 255}/31`),
      },
    ],
  });
  assert.deepEqual(addressesOf((await add(network, "c1")).json), [
    "2001:db8::1",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:fffe",
    "10.0.39.16",
  ]);
  assert.deepEqual(addressesOf((await add(network, "c2")).json), [
    "2001:db8::2",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "10.0.39.17",
  ]);
  assertError((await add(network, "c3")).json, 100);
});
