import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { isNotSupported } from "../../../base/host/error.ts";
import { service, settingsOf, slices } from "../plan/testing/scenario.ts";
import { systemIpvsAdmin } from "./ipvs-admin.system.ts";
import { ipvsProxier } from "./proxier.ts";
import { canary, open, openMachine, showAddresses } from "./testing/machine.ts";

describe("[PROXY-7] a restart", () => {
  test("finds what is there and changes nothing that is right", async () => {
    const objects = [service(), ...slices(["a", "b"])];
    const machine = openMachine();
    await open("IPv4", machine).replace(objects);
    const { dump } = machine.admin;
    machine.admin.lines.length = 0;
    machine.ip.shown.links = [
      { index: 2, name: "tandem-ipv4", mtu: 1500, up: true, running: true },
    ];
    showAddresses(machine, ["10.96.0.1"]);
    await open("IPv4", machine).replace(objects);
    assert.deepEqual(machine.admin.lines, []);
    assert.equal(machine.admin.dump, dump);
  });

  test("takes away what nobody wants any more, and leaves others' services alone", async () => {
    const machine = openMachine();
    await open("IPv4", machine).replace([service(), ...slices(["a"])]);
    await machine.admin.restore(["-A -t 192.0.2.1:80 -s wlc", "-A -f 7 -s rr"]);
    showAddresses(machine, ["10.96.0.1"]);
    await open("IPv4", machine).replace([]);
    assert.equal(
      machine.admin.dump,
      [canary, "-A -f 7 -s rr", "-A -t 192.0.2.1:80 -s wlc"].join("\n"),
    );
    await open("IPv4", machine).proxier.remove();
    assert.equal(machine.admin.dump, "-A -f 7 -s rr\n-A -t 192.0.2.1:80 -s wlc");
    assert.equal(machine.nft.dump, "");
  });
});

describe("[PROXY-1] what a kernel lacks", () => {
  test("is named: without ip_vs, check and replace fail with the name of the module", async () => {
    const stderr =
      "Can't initialize ipvs: Protocol not available\nAre you sure that IP Virtual Server is built in the kernel or as module?\n";
    const commands = new FakeCommands().answer("ipvsadm", { exitCode: 255, stderr });
    const machine = { ...openMachine(), admin: systemIpvsAdmin(commands) };
    const proxier = ipvsProxier({ ...machine, settings: settingsOf("IPv4") });
    for (const attempt of [proxier.check(), proxier.replace([])]) {
      await assert.rejects(attempt, (error: Error) => {
        assert.equal(error.message, "Cannot use ipvs: the kernel has no module ip_vs");
        return isNotSupported(error);
      });
    }
    assert.equal(machine.ip.text, "");
    await proxier.remove();
  });

  test("node ports at loopback addresses are refused at the start", async () => {
    const settings = settingsOf("IPv4", { servesLoopback: true });
    await assert.rejects(
      ipvsProxier({ ...openMachine(), settings }).check(),
      /Cannot serve node ports at loopback addresses by ipvs/,
    );
  });
});
