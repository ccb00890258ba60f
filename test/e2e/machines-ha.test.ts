// Several servers on machines: each runs a member of etcd, virtual addresses lead to one that is alive, and
// machines are lost, upgraded under load, reset and put onto an etcd of the operator's, in this order.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { LanHost } from "../fixtures/lan.ts";
import { type Machine, type Machines, openMachines, raised } from "../fixtures/machines.ts";
import { startClient } from "../fixtures/vip-cluster.ts";
import { admin, echoes, joinLineOf, ready, shell, untilSo } from "./machines.fixture.ts";
import { startOperatorsEtcd } from "./machines-etcd.fixture.ts";

const vips = { IPv4: "192.168.223.8", IPv6: "[fd00:223::8]" };
const asked = "--api-vips 192.168.223.8,fd00:223::8 --ingress-vips 192.168.223.9,fd00:223::9";
const pki = "/var/lib/tandem/etcd-pki";
const etcdctl =
  `ETCDCTL_API=3 etcdctl --cacert ${pki}/ca.crt --cert ${pki}/server.crt --key ${pki}/server.key ` +
  "--endpoints $(sed -n 's/^advertise-client-urls: //p' /etc/tandem/etcd.yaml)";
const voters = /^.*, started, .*, false$/gm;

describe("machines with several servers", () => {
  let machines: Machines;
  let one: Machine;
  let two: Machine;
  let three: Machine;
  let client: LanHost;

  before(async () => {
    machines = await openMachines({ hasRaised: true });
    const own = (host: number) => [`192.168.223.${host}/24`, `fd00:223::${host}/64`];
    [one, two, three, client] = await Promise.all([
      machines.boot("one", own(11)),
      machines.boot("two", own(12)),
      machines.boot("three", own(13)),
      machines.join("client", own(99)),
    ]);
  });

  after(() => machines[Symbol.asyncDispose]());

  const answersAtVips = async () => {
    for (const vip of Object.values(vips)) {
      const url = `https://${vip}:6443/readyz`;
      await client.commands.run(
        ["curl", "-gksS", "--fail", "--retry", "30", "--retry-all-errors", url],
        {
          timeoutMs: 90_000,
        },
      );
    }
  };
  const members = async (machine: Machine) =>
    (await shell(machine, `${etcdctl} member list`)).match(voters)?.length;

  test("[INST-1] further servers join by the printed command, each with a member of etcd, and virtual addresses answer in both families", async () => {
    const printed = await shell(one, `tandem install server ${asked}`);
    const join = joinLineOf(printed, "server");
    assert.match(join, /--join https:\/\/192\.168\.223\.8:6443 /);
    const asNode = joinLineOf(printed).replace("install agent", "install server");
    await assert.rejects(shell(two, asNode), /token create --server/);
    await Promise.all([two, three].map((machine) => shell(machine, join)));
    const nodes = await shell(one, `${admin}; kubectl get nodes --no-headers`);
    assert.equal(nodes.match(/ Ready +control-plane /g)?.length, 3, nodes);
    assert.equal(await members(two), 3);
    await answersAtVips();
  });

  test("[INST-1] when a server loses its power, the API goes on at the virtual addresses, and so do pods; it comes back", async () => {
    await one.run(["sh", "-c", `${admin}; kubectl apply -f -`], {
      stdin: echoes(["two", "three"]),
    });
    await untilSo(one, `${admin}; kubectl wait --for=condition=Ready --timeout=1s pod -l app=echo`);
    const containers = `${admin}; kubectl get pod -l app=echo -o jsonpath='{.items[*].status.containerStatuses[0].containerID}'`;
    const was = await shell(two, containers);
    await one.cutPower();
    await answersAtVips();
    await untilSo(two, `${admin}; kubectl create configmap meanwhile`);
    await client.commands.run(["curl", "-sS", "--fail", "http://192.168.223.12:30080/"]);
    await one.boot();
    await untilSo(one, `${admin}; kubectl get configmap meanwhile`);
    await untilSo(one, ready("one"));
    assert.equal(await shell(one, containers), was);
  });

  test("[INST-3] servers are upgraded one after the other, and no request fails: of a service, nor of the API at its virtual addresses", async (t) => {
    const token = await shell(
      one,
      `${admin}; kubectl create clusterrolebinding look --clusterrole=view --serviceaccount=default:default > /dev/null
       kubectl create token default`,
    );
    const api = Object.entries(vips).map(
      ([family, vip]) =>
        [`API ${family}`, `https://${vip}:6443/api/v1/namespaces/default/pods`] as const,
    );
    const service = Object.entries({ IPv4: "192.168.223.11", IPv6: "[fd00:223::11]" }).map(
      ([family, address]) => [`service ${family}`, `http://${address}:30080/`] as const,
    );
    const loads = [
      await startClient(client, {
        targets: Object.fromEntries(api),
        perSecond: 10,
        timeoutMs: 30_000,
        headers: { authorization: `Bearer ${token.trim()}` },
      }),
      await startClient(client, {
        targets: Object.fromEntries(service),
        perSecond: 50,
        timeoutMs: 10_000,
      }),
    ];
    for (const machine of [one, two, three]) await shell(machine, `tandem upgrade ${raised.path}`);
    const told = await Promise.all(loads.map((load) => load.stop()));
    const summaries = told.flatMap((each) => Object.entries(each));
    for (const [name, { requests, failures, longestSilenceMs }] of summaries) {
      t.diagnostic(`${name}: ${requests} requests, silent for ${Math.round(longestSilenceMs)} ms`);
      assert.ok(requests > 20, name);
      assert.deepEqual(failures, {}, name);
    }
    const versions = await shell(one, `${admin}; kubectl get nodes --no-headers`);
    assert.equal(versions.match(/tandem-0\.2\.0/g)?.length, 3, versions);
  });

  test("[INST-5] a server that is reset leaves etcd, and the others go on", async () => {
    await shell(three, "tandem reset --yes");
    assert.equal(await members(one), 2);
    await shell(one, `${admin}; kubectl delete node three; kubectl create configmap after`);
    await answersAtVips();
  });

  test("[INST-1] servers share an etcd that the operator has, by the printed command as well", async () => {
    const store = await startOperatorsEtcd(client, machines.scratch);
    after(() => store.stop());
    const files = Object.entries(store.files).map(([name, text]) => ({ name, text }));
    await shell(two, "tandem reset --yes");
    for (const machine of [two, three]) {
      await shell(machine, "mkdir -p /etc/etcd");
      for (const { name, text } of files) {
        await machine.run(["sh", "-c", `umask 077; cat > /etc/etcd/${name}`], { stdin: text });
      }
    }
    const etcd =
      "--etcd-servers https://192.168.223.99:2379 --etcd-cafile /etc/etcd/ca.crt " +
      "--etcd-certfile /etc/etcd/client.crt --etcd-keyfile /etc/etcd/client.key";
    const others =
      "--api-vips 192.168.223.18,fd00:223::18 --ingress-vips 192.168.223.19,fd00:223::19";
    const printed = await shell(three, `tandem install server ${etcd} ${others}`);
    const join = joinLineOf(printed, "server");
    assert.ok(join.endsWith(etcd), join);
    await shell(two, join);
    await shell(two, `${admin}; kubectl create configmap shared`);
    await untilSo(three, `${admin}; kubectl get configmap shared`);
    assert.match(await shell(three, "systemctl is-active tandem-etcd || true"), /inactive/);
  });
});
