import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { HostError } from "../../../base/host/error.ts";
import { FakeSysctl } from "../../../base/host/sysctl.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { showBridgedPackets } from "./bridged-packets.ts";

function machine({ isLoaded, canLoad }: { isLoaded: boolean; canLoad: boolean }) {
  const commands = new FakeCommands();
  if (!canLoad) commands.answer("modprobe", { exitCode: 1, stderr: "not permitted" });
  const written = new FakeSysctl();
  const sysctl = {
    read: () => Promise.resolve([]),
    async write(settings: Readonly<Record<string, string | number>>) {
      const isThere = isLoaded || (canLoad && commands.text.includes("modprobe"));
      if (!isThere) throw new HostError("no such file", { reason: "not-found" });
      await written.write(settings);
    },
  };
  const lines: string[] = [];
  const log = createLog({ format: "text", write: (line) => lines.push(line) });
  return { sysctl, commands, log, lines, written };
}

test("bridged packets are shown to the rules of services", async () => {
  const { lines, written, commands, ...rest } = machine({ isLoaded: true, canLoad: false });
  await showBridgedPackets({ commands, ...rest });
  assert.match(written.text, /bridge-nf-call-ip6tables = 1\n.*bridge-nf-call-iptables = 1/);
  assert.equal(commands.text, "");
  assert.deepEqual(lines, []);
});

test("the module is loaded where it is missing", async () => {
  const { lines, written, ...rest } = machine({ isLoaded: false, canLoad: true });
  await showBridgedPackets(rest);
  assert.match(written.text, /bridge-nf-call-iptables = 1/);
  assert.deepEqual(lines, []);
});

test("a node goes on without it, and says what will not work", async () => {
  const { lines, written, ...rest } = machine({ isLoaded: false, canLoad: false });
  await showBridgedPackets(rest);
  assert.equal(written.text, "");
  assert.match(lines.join(""), /br_netfilter is missing/);
});
