import assert from "node:assert/strict";
import { test } from "node:test";
import { keepBridgedPackets, showBridgedPackets } from "./bridged-packets.ts";
import { FakeCommands } from "./command.fake.ts";
import { HostError } from "./error.ts";
import { FakeSysctl } from "./sysctl.fake.ts";

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
  return { sysctl, commands, written };
}

test("bridged packets are shown to rules of both families", async () => {
  const { written, ...parts } = machine({ isLoaded: true, canLoad: false });
  await showBridgedPackets(parts, {});
  assert.match(written.text, /bridge-nf-call-ip6tables = 1\n.*bridge-nf-call-iptables = 1/);
  assert.equal(parts.commands.text, "");
});

test("the module of bridged packets is loaded where it is missing", async () => {
  const { written, ...parts } = machine({ isLoaded: false, canLoad: true });
  await showBridgedPackets(parts, {});
  assert.match(written.text, /bridge-nf-call-iptables = 1/);
});

test("a machine without the module of bridged packets says so", async () => {
  const { written, ...parts } = machine({ isLoaded: false, canLoad: false });
  await assert.rejects(showBridgedPackets(parts, {}), HostError);
  assert.equal(written.text, "");
});

test("bridged packets that somebody has hidden are shown again, and it is told", async () => {
  const sysctl = new FakeSysctl();
  await showBridgedPackets({ sysctl, commands: new FakeCommands() }, {});
  assert.equal(await keepBridgedPackets(sysctl, {}), false);
  await sysctl.write({ "net/bridge/bridge-nf-call-ip6tables": 0 });
  assert.equal(await keepBridgedPackets(sysctl, {}), true);
  assert.match(sysctl.text, /bridge-nf-call-ip6tables = 1/);
});
