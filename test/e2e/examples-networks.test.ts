// The examples about addresses of pods: their READMEs, executed as printed.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { GroupEvent } from "../../src/edge/dns/group/member.ts";
import { printedBlocks } from "../fixtures/printed-commands.ts";
import { Reader } from "../fixtures/reader.ts";
import { type DisposableCluster, disposableCluster, says } from "./cluster.fixture.ts";

const root = join(import.meta.dirname, "../..");

describe("examples", { timeout: 300_000 }, () => {
  let cluster: DisposableCluster;
  before(async () => {
    cluster = await disposableCluster({ nodes: 2, dns: false, allowHostImage: "default" });
    await cluster.up();
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** The commands of a page, one block after the other, with what the README's tour sets up before. */
  const run = async (page: string) => {
    const environment = { KUBECONFIG: cluster.kubeconfig, TANDEM_CLUSTER: cluster.name };
    await using reader = new Reader({ directory: root, environment });
    await reader.follow('alias kubectl="$(tools/fetch-kubectl 1.32)"');
    let output = "";
    for (const block of await printedBlocks(page)) {
      output += await reader.follow(block);
    }
    return output;
  };

  test("[IPAM-1] [IPAM-2] [CNI-4] [PROP-4] secondary-networks: the seed's configuration gives pods addresses in both families", async () => {
    const output = await run("examples/secondary-networks/README.md");
    for (const address of ["192.168.2.22[56]", "2001::[12]"]) {
      const network = `"tandem.internal/network":"default/whereaboutsexample"`;
      assert.match(output, new RegExp(`^${address}\t.*${network}`, "m"));
      const asked = new RegExp(`"client":\\s*\\{\\s*"address":\\s*"${address}"`);
      assert.match(output, asked, "the other pod sees the address of the network");
    }
    assert.match(output, /"tandem.internal\/default-network":"tandem"/);
    assert.match(output, /^192\.168\.2\.224\/28\t.*"podref":"default\/left"/m);
    assert.match(output, /^2001::\/116\t.*"podref":"default\/right"/m);
    assert.match(output, /^left in 192\.168\.2\.224\/28: (\{\})?$/m, output);
    assert.match(output, /^left in 2001::\/116: (\{\})?$/m, output);
  });

  test("[MODEL-6] watching-a-group: every join and leave is told once, with all addresses", async () => {
    const output = await run("examples/watching-a-group/README.md");
    const events = new Map<string, GroupEvent>();
    for (const [line] of output.matchAll(/^\{.*"type":"(join|leave)".*\}$/gm)) {
      const event = JSON.parse(line) as GroupEvent;
      events.set(event.id, event);
      assert.equal(event.member.addresses.length, 2, line);
    }
    const joined = [...events.values()].filter(({ type }) => type === "join");
    const [left, ...more] = [...events.values()].filter(({ type }) => type === "leave");
    assert.equal(joined.length, 3, output);
    assert.equal(new Set(joined.map(({ member }) => member.uid)).size, 3);
    assert.ok(joined.some(({ member }) => member.uid === left?.member.uid));
    assert.deepEqual(more, []);
  });

  test("[PROP-2] [PROP-3] [PROP-5] docs/address-properties.md: a claimed address is the other controller's alone", async () => {
    const output = await run("docs/address-properties.md");
    for (const address of ["10.50.0.1", "fd50::1"]) {
      const claim = `"service.kubernetes.io/service-controller-name":"fast-path.example.com"`;
      assert.match(output, new RegExp(`^${address}\t.*${claim}.*"default/fast"`, "m"));
    }
    const builtIn = [...output.matchAll(/^built-in: (.*)$/gm)].map(([, addresses]) => addresses);
    assert.equal(builtIn.length, 2, output);
    for (const addresses of builtIn) assert.match(addresses ?? "", /^\["(10\.244|fd00:10:244)/);
    assert.match(output, /^pod\/fast$/m);
  });

  test("[IPAM-11] a pod that comes back on another node has its addresses of a sticky network again", async () => {
    const ipam = {
      type: "whereabouts",
      sticky_seconds: 600,
      ipRanges: [{ range: "10.79.0.0/24" }, { range: "fd79::/64" }],
    };
    const config = { cniVersion: "1.0.0", type: "macvlan", master: "eth0", mode: "bridge", ipam };
    const definition = {
      apiVersion: "k8s.cni.cncf.io/v1",
      kind: "NetworkAttachmentDefinition",
      metadata: { name: "sticky" },
      spec: { config: JSON.stringify(config) },
    };
    await cluster.kubectl.pipe(definition, "apply", "-f", "-");
    const runOn = async (name: string, nodeName: string) => {
      const pod = attachedPod(name, "sticky", { nodeName });
      await cluster.kubectl.pipe(pod, "apply", "-f", "-");
      await cluster.kubectl.run("wait", `pod/${name}`, "--for=condition=Ready", "--timeout=90s");
      const addresses = "-o=jsonpath={.status.podIPs[2].ip} {.status.podIPs[3].ip}";
      return cluster.kubectl.run("get", `pod/${name}`, addresses);
    };
    assert.equal(await runOn("db-0", "node-1"), "10.79.0.1 fd79::1");
    await cluster.kubectl.run("delete", "pod/db-0");
    assert.equal(await runOn("other", "node-1"), "10.79.0.2 fd79::2");
    assert.equal(await runOn("db-0", "node-2"), "10.79.0.1 fd79::1");
  });

  test("[IPAM-7] [SEC-6] the plugin's credentials on a node reserve addresses, and do nothing else", async () => {
    const node = cluster.in("node-1");
    const file = "/run/node-1/ipam/kubeconfig";
    assert.match((await node.run(["stat", "--format=%a %U", file])).stdout, /^600 root$/m);
    const { stdout: program } = await node.run([join(root, "tools/fetch-kubectl"), "1.32"]);
    const kubectl = [program.trim(), `--kubeconfig=${file}`];
    const may = async (...words: string[]) => {
      const script = `"$@" 2> /dev/null || true`;
      const asked = ["sh", "-c", script, "-", ...kubectl, "auth", "can-i", ...words];
      return (await node.run(asked)).stdout.startsWith("yes");
    };
    const pools = "ippools.whereabouts.cni.cncf.io";
    assert.equal(await may("patch", pools, "--namespace=kube-system"), true);
    for (const words of [
      ["delete", pools, "--namespace=kube-system"],
      ["get", pools, "--namespace=default"],
      ["get", "secrets", "--all-namespaces"],
      ["get", "pods", "--all-namespaces"],
      ["get", "nodes"],
      ["create", "serviceaccounts/token", "--namespace=kube-system"],
      ["*", "*", "--all-namespaces"],
    ]) {
      assert.equal(await may(...words), false, words.join(" "));
    }
    await assert.rejects(node.run([...kubectl, "get", "pods"]), says(/pods is forbidden/));
  });

  test("[CNI-2] networks that name no place for reservations leave nothing on the machine", async () => {
    const config = (ipam: object) =>
      JSON.stringify({ cniVersion: "1.0.0", type: "bridge", bridge: "further0", ipam });
    const networks = {
      "reserved-by-host-local": { type: "host-local", subnet: "10.77.0.0/24" },
      "reserved-by-ours": { type: "tandem-ipam", datastore: "local", range: "10.78.0.0/24" },
    };
    const items = Object.entries(networks).map(([name, ipam]) => ({
      apiVersion: "k8s.cni.cncf.io/v1",
      kind: "NetworkAttachmentDefinition",
      metadata: { name },
      spec: { config: config(ipam) },
    }));
    const pod = attachedPod("reserving", Object.keys(networks).join());
    const list = { apiVersion: "v1", kind: "List", items: [...items, pod] };
    await cluster.kubectl.pipe(list, "apply", "-f", "-");
    await cluster.kubectl.run("wait", "pod/reserving", "--for=condition=Ready", "--timeout=90s");
    const shown = await cluster.kubectl.run(
      "get",
      "pod/reserving",
      "-o=jsonpath={.status.podIPs[*].ip}",
    );
    assert.match(shown, /10\.77\.0\.2 10\.78\.0\.1/);
    const node = await cluster.kubectl.run("get", "pod/reserving", "-o=jsonpath={.spec.nodeName}");
    const { stdout } = await cluster.in(node).run(["find", `/run/${node}/cni/networks`]);
    assert.match(stdout, /host-local\/reserved-by-host-local\/10\.77\.0\.2$/m);
    assert.match(stdout, /tandem-ipam\/reservations\..*\.db$/m);
    assert.equal(existsSync("/var/lib/cni/networks/reserved-by-host-local"), false);
  });
});

function attachedPod(name: string, networks: string, spec: object = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations: { "k8s.v1.cni.cncf.io/networks": networks } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "tandem.internal/echo" }],
      ...spec,
    },
  };
}
