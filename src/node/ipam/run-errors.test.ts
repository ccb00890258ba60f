import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "./config/fields.ts";
import type { Datastore } from "./datastore/port.ts";
import { IpamError } from "./errors.ts";
import { run } from "./run.ts";
import { Plugin } from "./testing/plugin.ts";

const dual = { ipRanges: [{ range: "192.168.10.1/24" }, { range: "abcd::1/64" }] };

test("[IPAM-6] verbs that a version does not have are refused", async (t) => {
  const plugin = new Plugin(t);
  const refused = async (command: string, cniVersion: string) =>
    (await plugin.call(command, dual, { network: { cniVersion } })).error.code;
  assert.equal(await refused("CHECK", "0.3.1"), 1);
  assert.equal(await refused("GC", "1.0.0"), 1);
  assert.equal(await refused("STATUS", "1.0.0"), 1);
  assert.equal(await refused("ADD", "2.0.0"), 1);
});

const broken: [what: string, variables: Record<string, string>, input: string, code: number][] = [
  ["no command", {}, "{}", 4],
  ["an unknown command", { CNI_COMMAND: "PING" }, "{}", 4],
  ["no container", { CNI_COMMAND: "ADD", CNI_IFNAME: "a", CNI_NETNS: "b" }, "{}", 4],
  ["no namespace", { CNI_COMMAND: "ADD", CNI_IFNAME: "a", CNI_CONTAINERID: "b" }, "{}", 4],
  [
    "a wild container id",
    { CNI_COMMAND: "DEL", CNI_IFNAME: "a", CNI_CONTAINERID: "../b" },
    "{}",
    4,
  ],
  ["a wild interface", { CNI_COMMAND: "DEL", CNI_IFNAME: "a/b", CNI_CONTAINERID: "b" }, "{}", 4],
  ["broken args", { CNI_COMMAND: "STATUS", CNI_ARGS: "a" }, "{}", 4],
  ["no JSON", { CNI_COMMAND: "STATUS" }, "{", 6],
  ["no object", { CNI_COMMAND: "STATUS" }, "[]", 6],
  ["nothing", { CNI_COMMAND: "STATUS" }, "", 6],
  ["a version to come", { CNI_COMMAND: "STATUS" }, '{"cniVersion":"9.0.0"}', 1],
  ["no ipam", { CNI_COMMAND: "STATUS" }, '{"cniVersion":"1.1.0","name":"net"}', 7],
  [
    "no name",
    { CNI_COMMAND: "STATUS" },
    '{"cniVersion":"1.1.0","ipam":{"type":"whereabouts","range":"10.0.0.0/8"}}',
    7,
  ],
];

for (const [what, variables, input, code] of broken) {
  test(`[IPAM-6] ${what} is error ${code}`, async () => {
    const never = () => assert.fail("the datastore is not needed");
    const machine = { now: () => 0, writeLog: () => undefined, open: never };
    const { output, failed } = await run({ variables, input, node: "n" }, machine);
    const error = JSON.parse(output) as JsonObject;
    assert.equal(failed, true);
    assert.equal(error.code, code);
    assert.match(String(error.msg), /^Cannot /);
    assert.equal(error.cniVersion, "1.1.0");
  });
}

test("[IPAM-5] GC with credentials that show no pods is no failure, and releases nothing", async () => {
  const refuse = async () => {
    throw new IpamError("notPermitted", "Cannot list pods: it is forbidden");
  };
  const fail = () => assert.fail("nothing is released");
  const datastore: Datastore = {
    transact: fail,
    reservations: refuse,
    livingOwners: refuse,
    slices: async () => [],
    claimSlice: fail,
    releaseSlices: fail,
    close: async () => undefined,
  };
  const network = {
    cniVersion: "1.1.0",
    name: "net",
    ipam: { type: "tandem-ipam", range: "10.0.0.0/24", log_file: "/dev/null" },
    "cni.dev/valid-attachments": [],
  };
  const invocation = {
    variables: { CNI_COMMAND: "GC" },
    input: JSON.stringify(network),
    node: "n",
  };
  const outcome = await run(invocation, {
    now: () => 0,
    writeLog: () => undefined,
    open: async () => datastore,
  });
  assert.deepEqual(outcome, { output: "", failed: false });
});

test("warnings and errors go to the log file", async (t) => {
  const plugin = new Plugin(t);
  const file = join(plugin.directory, "log");
  await plugin.call("ADD", { range: "10.0.0.0/32", log_file: file, novel: 1 });
  await plugin.call("ADD", { range: "10.0.0.0/32", log_file: file }, { container: "c2" });
  const lines = readFileSync(file, "utf8").trim().split("\n");
  assert.match(lines[0] ?? "", /\[warning\] ipam.novel is not known/);
  assert.match(lines[1] ?? "", /\[error\] Cannot allocate from 10.0.0.0\/32/);
});
