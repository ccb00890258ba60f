import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../net/address.ts";
import { FakeCommands } from "./command.fake.ts";
import { FakeConntrack } from "./conntrack.fake.ts";
import { systemConntrack } from "./conntrack.system.ts";
import type { FlowSelector } from "./conntrack.ts";
import { isInvalid, isNotPermitted } from "./error.ts";

const web: Required<Omit<FlowSelector, "source" | "sourcePort">> = {
  family: "IPv6",
  protocol: "udp",
  destination: Address.parse("fd00::1"),
  port: 53,
  replySource: Address.parse("fd01::7"),
};

test("many deletions are one process, and none when there are none", async () => {
  const commands = new FakeCommands().answer("sh", { stdout: "udp one\nudp two\n" });
  const conntrack = systemConntrack(commands);
  assert.equal(
    await conntrack.deleteFlows([web, { family: "IPv4", protocol: "tcp", port: 80 }]),
    2,
  );
  assert.equal(await conntrack.deleteFlows([]), 0);
  assert.equal(
    commands.text,
    `sh -c cat | conntrack --load-file -
  -D -f ipv6 -p udp --orig-dst fd00::1 --orig-port-dst 53 --reply-src fd01::7
  -D -f ipv4 -p tcp --orig-port-dst 80`,
  );
});

test("a flow that ends while others are deleted holds up nobody", async () => {
  const commands = new FakeCommands();
  const gaveUp = {
    exitCode: 1,
    stdout: "udp one\n",
    stderr: "conntrack v1.4.7 (conntrack-tools): Operation failed: such conntrack doesn't exist\n",
  };
  let attempts = 0;
  const conntrack = systemConntrack({
    start: (...call) => commands.start(...call),
    run: (...call) => {
      commands.answer("sh", ++attempts < 3 ? gaveUp : { stdout: "udp two\nudp three\n" });
      return commands.run(...call);
    },
  });
  assert.equal(await conntrack.deleteFlows([web]), 4);
  assert.equal(attempts, 3);
});

test("what conntrack cannot do is an error", async () => {
  const answer = { exitCode: 1, stderr: "Operation failed: Operation not permitted\n" };
  const conntrack = systemConntrack(new FakeCommands().answer("sh", answer));
  await assert.rejects(conntrack.deleteFlows([web]), isNotPermitted);
});

test("an address of the other family is refused", async () => {
  const conntrack = systemConntrack(new FakeCommands());
  await assert.rejects(conntrack.deleteFlows([{ ...web, family: "IPv4" }]), isInvalid);
});

test("the fake deletes the flows it has, and shows what was asked", async () => {
  const conntrack = new FakeConntrack();
  const other = { ...web, port: 54 };
  conntrack.flows = [web, other];
  const { replySource: _, ...anyEndpoint } = web;
  assert.equal(await conntrack.deleteFlows([anyEndpoint]), 1);
  assert.equal(await conntrack.deleteFlows([web]), 0);
  assert.deepEqual(conntrack.flows, [other]);
  assert.equal(conntrack.text, "udp [fd00::1]:53\nudp [fd00::1]:53 answered by fd01::7");
});
