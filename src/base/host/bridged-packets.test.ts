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
  const checkModule = (): void => {
    const isThere = isLoaded || (canLoad && commands.text.includes("modprobe"));
    if (!isThere) throw new HostError("no such file", { reason: "not-found" });
  };
  const sysctl = {
    async read(keys: readonly string[]) {
      checkModule();
      return keys.map((key) => written.settings.get(key) ?? "0");
    },
    async write(settings: Readonly<Record<string, string | number>>) {
      checkModule();
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

test("nothing is written where bridged packets are shown already, as in a container that cannot", async () => {
  const sysctl = {
    read: (keys: readonly string[]) => Promise.resolve(keys.map(() => "1")),
    write: () => Promise.reject(new HostError("read-only", { reason: "invalid" })),
  };
  const commands = new FakeCommands();
  await showBridgedPackets({ sysctl, commands }, {});
  assert.equal(commands.text, "");
});
