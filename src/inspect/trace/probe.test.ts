import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../base/host/command.fake.ts";
import { Address } from "../../base/net/address.ts";
import type { Protocol } from "../../node/proxy/proxy.ts";
import type { ProbeMark } from "./marks.ts";
import { type ProbeOutcome, sendProbe } from "./probe.ts";

async function send(
  commands: FakeCommands,
  destination = "10.96.0.1",
  protocol: Protocol = "tcp",
): Promise<ProbeOutcome> {
  const address = Address.parse(destination);
  const { family } = address;
  const mark: ProbeMark = { family, protocol, codePoint: 43, rawPort: 40_000, table: "t" };
  const source = Address.parse(family === "IPv4" ? "10.0.0.1" : "fd00::1");
  const probe = { protocol, source, destination: address, port: 80, timeoutMs: 1500 };
  return (await sendProbe(mark, probe, { commands })).outcome;
}

const says = (words: string) => ({
  exitCode: 1,
  stderr: `2026/11/15 12:18:26 socat[5145] W recvmsg(): Resource temporarily unavailable\n2026/11/15 12:18:26 socat[5145] E connect(5, AF=2 10.96.0.1:80, 16): ${words}\n`,
});

test("a connection comes from the sender's address, with the probe's code point", async () => {
  const commands = new FakeCommands();
  assert.equal(await send(commands, "fd00:96::1"), "answered");
  assert.match(
    commands.text,
    /TCP6-CONNECT:\[fd00:96::1\]:80,connect-timeout=1\.500,bind=\[fd00::1\],ipv6-tclass=172$/,
  );
});

test("what the kernel says is understood", async () => {
  const cases: readonly (readonly [string, ProbeOutcome])[] = [
    ["Connection refused", "refused"],
    ["Connection timed out", "silent"],
    ["No route to host", "unreachable"],
    ["Network is unreachable", "unreachable"],
    ["Permission denied", "unreachable"],
    ["Operation not permitted", "unsendable"],
    ["Invalid argument", "unsendable"],
  ];
  for (const [words, outcome] of cases) {
    assert.equal(await send(new FakeCommands().answer("socat", says(words))), outcome, words);
  }
});

test("a datagram is answered if anything comes back", async () => {
  assert.equal(await send(new FakeCommands(), "10.96.0.1", "udp"), "silent");
  const answering = new FakeCommands().answer("socat", { stdout: "x" });
  assert.equal(await send(answering, "10.96.0.1", "udp"), "answered");
});

test("of SCTP packets that come back the first chunk counts", async () => {
  const packet = (type: string): string =>
    `< 2026/11/15 12:21:27.000917123  length=16 from=0 to=15\n ${"00 ".repeat(12)}${type} 00 00 04\n`;
  const cases: readonly (readonly [string, ProbeOutcome])[] = [
    ["02", "answered"],
    ["06", "refused"],
    ["01", "silent"],
  ];
  for (const [type, outcome] of cases) {
    const commands = new FakeCommands().answer("socat", { stderr: packet(type) });
    assert.equal(await send(commands, "10.96.0.1", "sctp"), outcome, type);
  }
});

test("a program that is missing is an error", async () => {
  const commands = new FakeCommands().answer("socat", new Error("Cannot start socat"));
  await assert.rejects(send(commands), /Cannot start socat/);
});
