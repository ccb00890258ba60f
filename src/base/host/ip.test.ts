import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../net/address.ts";
import { Prefix } from "../net/prefix.ts";
import { FakeCommands } from "./command.fake.ts";
import { CommandError, isAlreadyExists, isInvalid, isNotFound } from "./error.ts";
import { FakeIp } from "./ip.fake.ts";
import { systemIp } from "./ip.system.ts";

test("a batch is one process, and none when there is nothing to do", async () => {
  const commands = new FakeCommands();
  await systemIp(commands).batch(["link set lo up", "link add br0 type bridge"]);
  await systemIp(commands).batch([]);
  assert.equal(commands.text, "ip -batch -\n  link set lo up\n  link add br0 type bridge");
});

const lines = ["link add br0 type bridge", "neigh del 10.0.0.9 dev br0", "link set br0 netns blue"];
const failures = [
  {
    stderr: "RTNETLINK answers: File exists\nCommand failed -:1\n",
    message: 'Cannot run "ip link add br0 type bridge": RTNETLINK answers: File exists',
    is: isAlreadyExists,
  },
  {
    stderr: "RTNETLINK answers: No such file or directory\n",
    message:
      'Cannot run "ip neigh del 10.0.0.9 dev br0": RTNETLINK answers: No such file or directory',
    is: isNotFound,
  },
  {
    stderr: 'Error: argument "blue" is wrong: Invalid "netns" value\n\n',
    message:
      'Cannot run "ip link set br0 netns blue": Error: argument "blue" is wrong: Invalid "netns" value',
    is: isInvalid,
  },
] as const;
for (const { stderr, message, is } of failures) {
  test(`the failing line is named: ${message}`, async () => {
    const commands = new FakeCommands().answer("ip", { exitCode: 1, stderr });
    await assert.rejects(systemIp(commands).batch(lines), (error) => {
      assert(error instanceof CommandError && is(error));
      assert.equal(error.message, message);
      assert.equal(error.exitCode, 1);
      assert.equal(error.stderr, stderr);
      return true;
    });
  });
}

test("a line that cannot be told is not guessed", async () => {
  const stderr = "RTNETLINK answers: No such file or directory\n";
  const commands = new FakeCommands().answer("ip", { exitCode: 2, stderr });
  const twice = ["neigh del 10.0.0.9 dev br0", "neigh del 10.0.0.8 dev br0"];
  await assert.rejects(systemIp(commands).batch(twice), /^CommandError: Cannot run ip -batch -/);
});

test("routes become values, whatever their form", async () => {
  const commands = new FakeCommands()
    .answer("ip -json -4 route show table main", {
      stdout: JSON.stringify([
        { dst: "default", via: { family: "inet6", host: "fe80::1" }, dev: "eth0", flags: [] },
        { type: "unreachable", dst: "10.8.0.0/16", metric: 5, flags: [] },
        { dst: "10.9.0.1", protocol: "static", nexthops: [{ dev: "a0" }, { dev: "b0" }] },
      ]),
    })
    .answer("ip -json -6 route show table 100", { stdout: "" });
  const ip = systemIp(commands);
  assert.deepEqual(await ip.routes("IPv4"), [
    {
      type: "unicast",
      destination: Prefix.parse("0.0.0.0/0"),
      nextHops: [{ link: "eth0", gateway: Address.parse("fe80::1") }],
    },
    { type: "unreachable", destination: Prefix.parse("10.8.0.0/16"), nextHops: [], metric: 5 },
    {
      type: "unicast",
      destination: Prefix.parse("10.9.0.1/32"),
      nextHops: [{ link: "a0" }, { link: "b0" }],
      protocol: "static",
    },
  ]);
  assert.deepEqual(await ip.routes("IPv6", { table: "100" }), []);
});

test("the fake records lines up to the one that is to fail, and shows one family", async () => {
  const ip = new FakeIp();
  ip.fail("route add default via fd00::1", new Error("no"));
  await ip.batch(["link set lo up"]);
  await assert.rejects(
    ip.batch(["link set eth0 up", "route add default via fd00::1", "never"]),
    /no/,
  );
  assert.equal(ip.text, "link set lo up\nlink set eth0 up");
  const [one, two] = ["10.0.0.0/8", "fd00::/8"].map((text) => ({
    type: "unicast",
    destination: Prefix.parse(text),
    nextHops: [],
  }));
  assert(one !== undefined && two !== undefined);
  ip.shown.routes = [one, two];
  assert.deepEqual(await ip.routes("IPv6"), [two]);
});
