import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { service, slices } from "../plan/testing/scenario.ts";
import { proxierContract } from "../testing/proxier.contract.ts";
import { canary, open, openMachine, openSubject, showAddresses } from "./testing/machine.ts";

proxierContract("ipvs", openSubject);

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
      await replace([service({ sessionAffinity: "ClientIP" as const }), ...slices(["a"])]);
      const added = admin.lines.find((line) => line.startsWith("-A -t"));
      assert.match(added ?? "", new RegExp(`-s rr -p 10800 -M ${mask}$`));
    }
  });

  test("[PROXY-2] node ports, and outsiders that are led elsewhere, go by marks", async () => {
    const { admin, nft, replace } = open();
    const web = service({
      type: "LoadBalancer" as const,
      lb: ["lb"],
      externalTrafficPolicy: "Local" as const,
      ports: [{ port: 80, nodePort: 30080 }],
    });
    await replace([web, ...slices(["a", "b"])]);
    const marked = admin.dump.split("\n").filter((line) => line.startsWith("-a -f"));
    // The three marked services: the node port inside and outside, and the load balancer's address
    // outside.
    assert.equal(marked.filter((line) => line.includes("10.1.1.10:8080")).length, 3);
    assert.equal(marked.filter((line) => line.includes("10.1.2.11:8080")).length, 1);
    assert.match(nft.dump, /service-marks-outside/);
  });

  test("[PROXY-2] with affinity, a node port is served at each of the node's addresses", async () => {
    const machine = openMachine();
    showAddresses(machine, ["192.168.0.1", "203.0.113.1"], "eth0");
    const web = service({
      type: "NodePort" as const,
      sessionAffinity: "ClientIP" as const,
      externalTrafficPolicy: "Local" as const,
      ports: [{ port: 80, nodePort: 30080 }],
    });
    await open("IPv4", machine).replace([web, ...slices(["a", "b"])]);
    const lines = machine.admin.dump.split("\n");
    // Outside clients are remembered by persistence; others keep their server by a hash of their address.
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
    assert.equal(await proxier.sweep(), false);
    assert.deepEqual(admin.lines, ["-e -t 10.96.0.1:80 -r 10.1.2.11:8080 -m -w 0"]);
    admin.active.clear();
    assert(await proxier.sweep());
    assert.equal(admin.lines.at(-1), "-d -t 10.96.0.1:80 -r 10.1.2.11:8080");
    assert(await proxier.sweep());
    assert.equal(admin.lines.length, 2);
  });

  test("one without connections leaves at once", async () => {
    const { admin, proxier, replace, change } = open();
    await replace([service(), ...slices(["a", "b"])]);
    await change(slices(["a"]));
    assert.doesNotMatch(admin.dump, /10\.1\.2\.11/);
    const count = admin.lines.length;
    assert(await proxier.sweep());
    assert.equal(admin.lines.length, count);
  });

  test("one that comes back serves again", async () => {
    const { admin, replace, change } = open();
    await replace([service(), ...slices(["a", "b"])]);
    admin.active.set("-t 10.96.0.1:80 10.1.2.11:8080", 1);
    await change(slices(["a"]));
    admin.lines.length = 0;
    await change(slices(["a", "b"]));
    assert.deepEqual(admin.lines, ["-e -t 10.96.0.1:80 -r 10.1.2.11:8080 -m -w 1"]);
  });

  test("datagrams go on only to those that still answer", async () => {
    const ports = [{ port: 53, protocol: "UDP" as const }];
    const udp = { ports: [{ port: 5353, protocol: "UDP" as const }] };
    const leaving = { conditions: { ready: false, serving: true, terminating: true } };
    const { admin, replace, change } = open();
    await replace([service({ ports }), ...slices(["a", "b", "c"], udp)]);
    for (const server of ["10.1.2.11:5353", "10.1.3.12:5353"]) {
      admin.active.set(`-u 10.96.0.1:53 ${server}`, 1);
    }
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
