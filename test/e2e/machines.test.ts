// A cluster on machines: systemd, the Debian package and nothing of the clone. Three machines are installed, used,
// killed, restored and reset, in this order.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { LanHost } from "../fixtures/lan.ts";
import { type Machine, type Machines, openMachines, raised } from "../fixtures/machines.ts";
import { startClient } from "../fixtures/vip-cluster.ts";
import {
  admin,
  differences,
  echoes,
  joinLineOf,
  ready,
  shell,
  traces,
  untilSo,
} from "./machines.fixture.ts";

const manifest = `
apiVersion: v1
kind: Secret
metadata: { name: pin }
stringData: { pin: swordfish-in-a-secret }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { settings: swordfish-in-settings }
---
apiVersion: v1
kind: Pod
metadata: { name: lasting }
spec:
  nodeName: two
  containers:
    - name: echo
      image: tandem.internal/echo
      env: [{ name: PIN, value: swordfish-in-an-environment }]
      ports: [{ containerPort: 8080, hostPort: 18080 }]
`;

describe("machines", () => {
  let machines: Machines;
  let one: Machine;
  let two: Machine;
  let three: Machine;
  let client: LanHost;
  let untouched = "";

  before(async () => {
    machines = await openMachines({ hasRaised: true });
    const boot = (name: string, host: number) =>
      machines.boot(name, [`192.168.222.${host}/24`, `fd00:222::${host}/64`]);
    [one, two, three] = await Promise.all([boot("one", 11), boot("two", 12), boot("three", 13)]);
    client = await machines.join("client", ["192.168.222.99/24", "fd00:222::99/64"]);
    untouched = await traces(two);
  });

  after(() => machines[Symbol.asyncDispose]());

  test("[INST-1] a machine becomes a server, and others nodes by the command it prints", async () => {
    const printed = await shell(one, "tandem install server");
    const join = joinLineOf(printed);
    const joined = await Promise.all([two, three].map((machine) => shell(machine, join)));
    assert.match(joined.join(), /is the node two of https:\/\/192\.168\.222\.11:6443/);
    const nodes = await shell(one, `${admin}; kubectl get nodes --no-headers`);
    assert.equal(nodes.match(/ Ready /g)?.length, 3, nodes);
    assert.match(nodes, /^one +Ready +control-plane /m);
    await shell(one, `${admin}; kubectl rollout status -n kube-system deployment/tandem-dns`);
    const files = await shell(two, "cat /etc/tandem/*");
    assert.ok(!files.includes(/--token (\S+)/.exec(join)?.[1] ?? " "), "no token is written down");
  });

  test("[INST-1] installing again changes nothing", async () => {
    const state = (machine: Machine) =>
      shell(
        machine,
        "stat --format='%n %i %Y' /etc/tandem/*.yaml; systemctl show --property=MainPID tandem-server tandem-agent",
      );
    const was = await Promise.all([state(one), state(two)]);
    const said = await Promise.all([
      shell(one, "tandem install server"),
      shell(two, "tandem install agent"),
    ]);
    for (const text of said) assert.match(text, /was installed already/);
    assert.deepEqual(await Promise.all([state(one), state(two)]), was);
  });

  test("[INST-1] everybody reaches everybody in both families, by names too", async () => {
    // It exits with 1 if anything fails.
    const report = await shell(one, "tandem check --nodes two,three");
    assert.match(report, /IPV4 HTTP.*IPV6 HTTP/);
    assert.match(report, /^[1-9]\d+ passed, 0 failed/m);
  });

  test("[INST-3] versions that do not work together are refused: nodes before servers, and steps that are too long", async () => {
    const early = shell(two, `tandem upgrade ${raised.path}`);
    await assert.rejects(early, /nodes are never newer: upgrade servers first/);
    const far = "/tmp/far";
    const control =
      "Package: tandem\nVersion: 0.3.0\nArchitecture: all\nMaintainer: n\nDescription: d\n";
    await one.run(["sh", "-ec", `mkdir -p ${far}/DEBIAN; cat > ${far}/DEBIAN/control`], {
      stdin: control,
    });
    await shell(one, `dpkg-deb --build ${far} ${far}.deb`);
    await assert.rejects(
      shell(one, `tandem upgrade ${far}.deb`),
      /upgrade by one minor version at a time/,
    );
    await shell(one, `rm -r ${far} ${far}.deb`);
  });

  test("[INST-3] machines are upgraded while no request to a service fails, those to the one API server wait, and pods go on", async (t) => {
    await one.run(["sh", "-c", `${admin}; kubectl apply -f -`], {
      stdin: `${manifest}---\n${echoes(["two", "three"])}`,
    });
    await untilSo(one, `${admin}; kubectl wait --for=condition=Ready --timeout=1s pod --all`);
    const started = `${admin}; kubectl get pods -o jsonpath='{.items[*].status.containerStatuses[0].containerID} {.items[*].status.containerStatuses[0].restartCount}'`;
    const was = await shell(one, started);
    const agent = "systemctl show --property=MainPID tandem-agent";
    const pid = await shell(two, agent);
    const service = await startClient(client, {
      targets: { IPv4: "http://192.168.222.13:30080/", IPv6: "http://[fd00:222::13]:30080/" },
      perSecond: 50,
      timeoutMs: 10_000,
    });
    const api = await startClient(client, {
      targets: { API: "https://192.168.222.11:6443/readyz" },
      perSecond: 5,
      timeoutMs: 60_000,
      isPatient: true,
    });
    for (const machine of [one, two, three]) await shell(machine, `tandem upgrade ${raised.path}`);
    const summaries = Object.entries({ ...(await service.stop()), ...(await api.stop()) });
    for (const [name, { requests, failures, longestSilenceMs }] of summaries) {
      t.diagnostic(`${name}: ${requests} requests, silent for ${Math.round(longestSilenceMs)} ms`);
      assert.ok(requests > 20, name);
      assert.deepEqual(failures, {}, name);
    }
    const nodes = await shell(one, `${admin}; kubectl get nodes --no-headers`);
    assert.equal(nodes.match(/tandem-0\.2\.0/g)?.length, 3, nodes);
    await shell(one, "systemctl kill --signal=KILL tandem-server");
    await untilSo(one, `${admin}; kubectl get --raw /readyz`);
    await untilSo(one, ready("two"));
    assert.notEqual(await shell(two, agent), pid);
    assert.equal(await shell(one, started), was);
    assert.match(await shell(three, "curl --silent http://192.168.222.12:18080/"), /./);
  });

  test("[INST-2] a machine that loses its power comes back as the node it was", async () => {
    const addresses = `${admin}; kubectl get node three -o jsonpath='{.status.addresses} {.metadata.uid}'`;
    const was = await shell(one, addresses);
    await three.cutPower();
    await three.boot();
    await untilSo(three, "curl --silent --fail http://localhost:10248/healthz");
    await untilSo(one, ready("three"));
    assert.equal(await shell(one, addresses), was);
  });

  test("[INST-1] a support bundle has logs, objects and the kernel's state, and no secret", async () => {
    await shell(
      one,
      "tandem support-bundle /root/support.tar.gz && tar -C /root -xzf /root/support.tar.gz",
    );
    assert.match(await shell(one, "stat --format=%a /root/support.tar.gz"), /^600$/m);
    const names = await shell(one, "cd /root/tandem-support; find . -type f -size +0");
    for (const name of [
      "logs/tandem-server.service.log",
      "objects/Pod.yaml",
      "network/nftables.txt",
    ]) {
      assert.ok(names.includes(name), `${name} is not in it`);
    }
    const secrets = [
      ...["secret", "settings", "environment"].map((place) => `swordfish-in-.*${place}`),
      Buffer.from("swordfish-in-a-secret").toString("base64"),
      "PRIVATE KEY-----$",
    ];
    for (const secret of secrets) {
      const found = await shell(one, `grep -rlE -- '${secret}' /root/tandem-support || true`);
      assert.equal(found, "", secret);
    }
    const keys = await shell(
      one,
      `for line in $(cat /var/lib/tandem/pki/*.key /var/lib/tandem-agent/identity/*.pem 2> /dev/null |
           sed -n '/PRIVATE KEY/,/END/p' | grep -v -e ----- ); do
         grep -rlF -- "$line" /root/tandem-support || true; done; rm -r /root/tandem-support /root/support.tar.gz`,
    );
    assert.equal(keys, "", "lines of private keys");
  });

  test("[INST-4] a cluster whose server has lost its data is restored from a backup", async () => {
    await shell(one, "rm -f /root/cluster.backup; tandem backup /root/cluster.backup");
    await shell(one, "systemctl stop tandem-server && rm -r /var/lib/tandem/*");
    await shell(one, "tandem restore /root/cluster.backup && systemctl start tandem-server");
    await untilSo(one, `${admin}; kubectl get secret pin`);
    await untilSo(one, ready("two"));
    await shell(one, "rm /root/cluster.backup");
  });

  test("[INST-5] reset lists what it removes, and leaves a machine as it was", async () => {
    const listed = await shell(two, "tandem reset --dry-run");
    for (const line of [
      /disable tandem-agent/,
      /processes of the agent and its pods/,
      /link cbr0/,
      /var\/lib\/tandem-agent/,
    ]) {
      assert.match(listed, line);
    }
    await assert.rejects(shell(two, "tandem reset < /dev/null"), /nobody agreed/);
    await shell(two, "tandem reset --yes");
    assert.deepEqual(differences(untouched, await traces(two)), []);
    assert.match(await shell(two, "tandem reset --yes"), /nothing to remove/);
  });
});
