import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FakeCommands } from "../../host/command.fake.ts";
import { isNotSupported } from "../../host/error.ts";
import { FakeIp } from "../../host/ip.fake.ts";
import { FakeNft } from "../../host/nft.fake.ts";
import { FakeSysctl } from "../../host/sysctl.fake.ts";
import { Address } from "../../net/address.ts";
import { families } from "../../net/family.ts";
import { Prefix } from "../../net/prefix.ts";
import {
  openState,
  type Party,
  put,
  service,
  settingsOf,
  slices,
} from "../plan/scenario.fixture.ts";
import { FakeIpvsAdmin } from "./ipvs-admin.fake.ts";
import { systemIpvsAdmin } from "./ipvs-admin.system.ts";
import { canaryMark } from "./marks.ts";
import { ipvsProxier } from "./proxier.ts";

type Objects = Parameters<typeof put>[1];

function open(family: "IPv4" | "IPv6" = "IPv4", machine = openMachine()) {
  const settings = settingsOf(family);
  const proxier = ipvsProxier({ ...machine, settings });
  const state = openState();
  return {
    ...machine,
    proxier,
    replace: async (objects: Objects) => {
      put(state, objects);
      state.takeChange();
      await proxier.replace([...state.tables[family].all()].map(([, frontend]) => frontend));
    },
    change: async (objects: Objects) => {
      put(state, objects);
      await proxier.apply(state.takeChange().deltas[family]);
    },
  };
}

function openMachine() {
  const parts = { ip: new FakeIp(), nft: new FakeNft(), sysctl: new FakeSysctl() };
  return { ...parts, admin: new FakeIpvsAdmin() };
}

const canary = `-A -f ${canaryMark} -s rr`;

describe("[PROXY-1] virtual services", () => {
  test("a cluster IP is one, its endpoints are its servers", async () => {
    const { admin, ip, replace } = open();
    await replace([service(), ...slices(["a", "b"])]);
    assert.equal(
      admin.dump,
      [
        canary,
        "-A -t 10.96.0.1:80 -s rr",
        "-a -t 10.96.0.1:80 -r 10.1.1.10:8080 -m -w 1",
        "-a -t 10.96.0.1:80 -r 10.1.2.11:8080 -m -w 1",
      ].join("\n"),
    );
    assert.match(ip.text, /address add 10.96.0.1\/32 dev tandem-ipv4/);
  });

  test("[PROXY-2] affinity is persistence, for each client by itself", async () => {
    for (const [family, mask] of [
      ["IPv4", "255.255.255.255"],
      ["IPv6", "128"],
    ] as const) {
      const { admin, replace } = open(family);
      await replace([service({ sessionAffinity: "ClientIP" }), ...slices(["a"])]);
      const added = admin.lines.find((line) => line.startsWith("-A -t"));
      assert.match(added ?? "", new RegExp(`-s rr -p 10800 -M ${mask}$`));
    }
  });

  test("[PROXY-2] node ports, and outsiders that are led elsewhere, go by marks", async () => {
    const { admin, nft, replace } = open();
    const web = service({
      type: "LoadBalancer",
      lb: ["lb"],
      externalTrafficPolicy: "Local",
      ports: [{ port: 80, nodePort: 30080 }],
    });
    await replace([web, ...slices(["a", "b"])]);
    const marked = admin.dump.split("\n").filter((line) => line.startsWith("-a -f"));
    // The node port inside and outside, and the load balancer's address outside.
    assert.equal(marked.filter((line) => line.includes("10.1.1.10:8080")).length, 3);
    assert.equal(marked.filter((line) => line.includes("10.1.2.11:8080")).length, 1);
    assert.match(nft.dump, /service-marks-outside/);
  });

  test("[PROXY-2] with affinity, a node port is served at each of the node's addresses", async () => {
    const machine = openMachine();
    showAddresses(machine, ["192.168.0.1", "203.0.113.1"], "eth0");
    const web = service({
      type: "NodePort",
      sessionAffinity: "ClientIP",
      externalTrafficPolicy: "Local",
      ports: [{ port: 80, nodePort: 30080 }],
    });
    await open("IPv4", machine).replace([web, ...slices(["a", "b"])]);
    const lines = machine.admin.dump.split("\n");
    // Outsiders are remembered; others are led by their address.
    assert(lines.includes("-A -t 192.168.0.1:30080 -s rr -p 10800"));
    assert(lines.includes("-a -t 192.168.0.1:30080 -r 10.1.1.10:8080 -m -w 1"));
    assert.equal(lines.filter((line) => line.endsWith("-s sh -b sh-fallback")).length, 1);
    assert.equal(lines.filter((line) => line.includes("203.0.113.1")).length, 0);
    await open("IPv4", machine).replace([]);
    assert.doesNotMatch(machine.admin.dump, /192.168|sh-fallback/, "it is known whose they were");
  });

  test("no endpoints: no service, but a refusal", async () => {
    const { admin, nft, replace } = open();
    await replace([service()]);
    assert.equal(admin.dump, canary);
    assert.match(nft.dump, /10\.96\.0\.1 \. tcp \. 80.*goto refuse/);
  });
});

describe("[PROXY-6] changes", () => {
  test("an endpoint that goes gets no new connections, and leaves when it has none", async () => {
    const { admin, proxier, replace, change } = open();
    await replace([service(), ...slices(["a", "b"])]);
    admin.active.set("-t 10.96.0.1:80 10.1.2.11:8080", 1);
    admin.lines.length = 0;
    await change(slices(["a"]));
    await proxier.sweep();
    assert.deepEqual(admin.lines, ["-e -t 10.96.0.1:80 -r 10.1.2.11:8080 -m -w 0"]);
    admin.active.clear();
    await proxier.sweep();
    assert.equal(admin.lines.at(-1), "-d -t 10.96.0.1:80 -r 10.1.2.11:8080");
    await proxier.sweep();
    assert.equal(admin.lines.length, 2);
  });

  test("one that comes back serves again", async () => {
    const { admin, replace, change } = open();
    await replace([service(), ...slices(["a", "b"])]);
    await change(slices(["a"]));
    admin.lines.length = 0;
    await change(slices(["a", "b"]));
    assert.deepEqual(admin.lines, ["-e -t 10.96.0.1:80 -r 10.1.2.11:8080 -m -w 1"]);
  });

  test("datagrams go on only to those that still answer", async () => {
    const ports = [{ port: 53, protocol: "UDP" }];
    const udp = { ports: [{ port: 5353, protocol: "UDP" }] };
    const leaving = { conditions: { ready: false, serving: true, terminating: true } };
    const { admin, replace, change } = open();
    await replace([service({ ports }), ...slices(["a", "b", "c"], udp)]);
    admin.lines.length = 0;
    await change(slices({ a: {}, b: leaving }, udp));
    assert.deepEqual(admin.lines, [
      "-e -u 10.96.0.1:53 -r 10.1.2.11:5353 -m -w 0",
      "-d -u 10.96.0.1:53 -r 10.1.3.12:5353",
    ]);
  });

  test("a service that is gone takes its address along, unless another has it, too", async () => {
    const { ip, replace, change } = open();
    await replace([service({ ports: [{ port: 80 }, { name: "b", port: 81 }] })]);
    ip.lines.length = 0;
    await change([service({ ports: [{ port: 80 }] })]);
    assert.equal(ip.text, "");
    await change([service({ cluster: ["other"] })]);
    assert.equal(
      ip.text,
      "address add 10.96.0.2/32 dev tandem-ipv4\naddress del 10.96.0.1/32 dev tandem-ipv4",
    );
  });
});

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

  test("any changes lead to the state that a rebuild leads to", async () => {
    const parties: readonly Party[] = ["a", "b", "c", "d"];
    const step = fc.record({
      name: fc.constantFrom("web", "shop"),
      backends: fc.subarray([...parties]),
      isLocal: fc.boolean(),
      isSticky: fc.boolean(),
      ports: fc.subarray([80, 81, 82], { minLength: 1 }),
    });
    type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
    const objects = ({ name, backends, isLocal, isSticky, ports }: Step): Objects => [
      service({
        name,
        cluster: [name === "web" ? "cluster" : "other"],
        type: "LoadBalancer",
        lb: [name === "web" ? "lb" : "lb2"],
        ...(isLocal && { externalTrafficPolicy: "Local" }),
        ...(isSticky && { sessionAffinity: "ClientIP" }),
        ports: ports.map((port) => ({
          name: `p${port}`,
          port,
          nodePort: 30_000 + port + name.length,
        })),
      }),
      ...slices(backends, {
        of: name,
        ports: ports.map((port) => ({ name: `p${port}`, port: 8000 + port, protocol: "TCP" })),
      }),
    ];
    for (const family of families) {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
          const changed = open(family);
          await changed.replace([]);
          for (const one of steps) await changed.change(objects(one));
          await changed.proxier.sweep();
          const rebuilt = open(family);
          const last = new Map(steps.map((one) => [one.name, one]));
          await rebuilt.replace([...last.values()].flatMap(objects));
          assert.equal(changed.admin.dump, rebuilt.admin.dump);
          assert.equal(changed.nft.dump, rebuilt.nft.dump);
          assert.equal(changed.proxier.size, rebuilt.proxier.size);
        }),
        { numRuns: 40 },
      );
    }
  });
});

describe("[PROXY-1] what a kernel lacks", () => {
  test("is named", async () => {
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

function showAddresses(
  machine: ReturnType<typeof openMachine>,
  texts: readonly string[],
  link = "tandem-ipv4",
): void {
  machine.ip.shown.addresses = texts.map((text) => {
    const address = Address.parse(text);
    const prefix = Prefix.of(address, 32);
    const state = { scope: "global", tentative: false, duplicate: false };
    return { link, address, prefix, ...state };
  });
}
