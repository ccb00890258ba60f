// Every base of deploy/ in a live cluster: it becomes ready and does its work, with the rights that its manifests give it.
// `make compat-deploy` runs the same with the image that `make dist` builds.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CommandError } from "../../src/base/host/error.ts";
import { parts } from "../../tools/deploy/manifests.ts";
import { expressions, metricsIn } from "../fixtures/promql.ts";
import { type DeployCluster, openDeployCluster } from "./deploy.fixture.ts";
import {
  denyAll,
  dnsService,
  echoPod,
  infrastructure,
  infrastructureStatus,
  leftByWhereabouts,
  network,
  pool,
  webService,
} from "./deploy-objects.fixture.ts";

const isBuilt = process.env["TANDEM_DEPLOY_IMAGE"] === "built";

describe("parts beside a Kubernetes that has none of them", { timeout: 600_000 }, () => {
  let lab: DeployCluster;
  /** Cluster IPs of the service `web`, one per family. */
  let web: readonly string[];

  const url = (address: string, port = 80, path = "hostname") =>
    `http://${address.includes(":") ? `[${address}]` : address}:${port}/${path}`;
  const answers = async (address: string) =>
    (await lab.ask("client", url(address)))?.startsWith("web") === true;
  const fromOutside = async (address: string, port: number, path: string): Promise<string> => {
    try {
      const words = ["curl", "--silent", "--fail", "--max-time", "2", url(address, port, path)];
      return (await lab.outside.commands.run(words)).stdout;
    } catch (error) {
      if (error instanceof CommandError) return "";
      throw error;
    }
  };

  before(async () => {
    lab = await openDeployCluster({ isBuilt });
    for (const object of [echoPod("web", "one"), echoPod("client", "two"), webService]) {
      await lab.kubectl(["apply", "-f", "-"], object);
    }
    await lab.kubectl(["wait", "--for=condition=Ready", "pod", "--all", "--timeout=90s"]);
    const words = ["get", "service", "web", "-o", "jsonpath={.spec.clusterIPs[*]}"];
    web = (await lab.kubectl([...words])).split(" ");
    assert.equal(web.length, 2);
  });
  after(() => lab[Symbol.asyncDispose]());

  test("[INST-6] proxy: services answer in both families, which they did not before", async () => {
    for (const address of web) assert.equal(await answers(address), false);
    const clusterCidr = ["10.244.0.0/16", "fd00:10:244::/56"];
    await lab.deploy("proxy", { config: { "tandem-proxy": { clusterCidr } } });
    for (const address of web)
      await lab.until("proxy", `an answer at ${address}`, () => answers(address));
  });

  test("[INST-6] dns: names of services lead to them", async () => {
    assert.equal(await answers("web.default.svc.cluster.local"), false);
    await lab.deploy("dns");
    await lab.kubectl(["apply", "-f", "-"], dnsService);
    await lab.until("dns", "an answer by name", () => answers("web.default.svc.cluster.local"));
  });

  test("[INST-6] policy: what no policy allows is denied, in both families", async () => {
    await lab.deploy("policy");
    await lab.kubectl(["apply", "-f", "-"], denyAll);
    for (const address of web) {
      await lab.until("policy", `no answer at ${address}`, async () => !(await answers(address)));
    }
    await lab.kubectl(["delete", "-f", "-"], denyAll);
    for (const address of web)
      await lab.until("policy", `an answer at ${address}`, () => answers(address));
  });

  test("[INST-6] balancer: addresses of load balancers are given, and answer on the LAN", async () => {
    await lab.deploy("balancer");
    await lab.kubectl(["apply", "-f", "-"], pool);
    await lab.kubectl(["patch", "service", "web", "-p", '{"spec": {"type": "LoadBalancer"}}']);
    for (const address of ["192.0.2.200", "2001:db8::200"]) {
      await lab.until("balancer", `an answer at ${address}`, async () =>
        (await fromOutside(address, 80, "hostname")).startsWith("web"),
      );
    }
  });

  test("[INST-6] vip: a virtual address is on one node and answers on the LAN", async () => {
    await lab.kubectl(["label", "nodes", "--all", "tandem.internal/ingress="]);
    await lab.kubectl(["apply", "-f", "-"], infrastructure);
    const status = JSON.stringify({ status: infrastructureStatus });
    const words = ["infrastructure", "cluster", "--subresource=status", "--type=merge"];
    await lab.kubectl(["patch", ...words, "-p", status]);
    // The proxy's health is what answers there in place of an ingress.
    await lab.deploy("vip", { config: { "tandem-vip": { ingressCheckPort: 10_256 } } });
    for (const address of ["192.0.2.90", "2001:db8::90"]) {
      await lab.until("vip", `an answer at ${address}`, async () =>
        (await fromOutside(address, 10_256, "healthz")).includes("nodeEligible"),
      );
    }
  });

  test("[INST-6] ipam: networks of whereabouts have addresses behind those that its pools have given out", async () => {
    for (const object of leftByWhereabouts) await lab.kubectl(["apply", "-f", "-"], object);
    await lab.deploy("ipam", {
      config: {
        "tandem-ipam": { pluginNames: ["tandem-ipam", "whereabouts"] },
        "tandem-ipam-reconciler": { interval: "1s" },
      },
    });
    await lab.kubectl(["apply", "-f", "-"], network);
    const pod = echoPod("second", "one", { "k8s.v1.cni.cncf.io/networks": "blue" });
    await lab.kubectl(["apply", "-f", "-"], pod);
    await lab.kubectl(["wait", "--for=condition=Ready", "pod/second", "--timeout=60s"]);
    const range = ["-n", "kube-system", "get", "ippool", "10.60.0.0-24", "-o", "json"];
    await lab.until("ipam", "what is left of the pool", async () => {
      const { spec } = JSON.parse(await lab.kubectl(range)) as {
        spec: { allocations: Record<string, { podref: string }> };
      };
      const holders = Object.entries(spec.allocations).map(([at, { podref }]) => `${at} ${podref}`);
      return holders.join() === "1 default/web,2 default/second";
    });
    const slices = ["-n", "kube-system", "get", "nodeslicepools", "-o", "json"];
    await lab.until("ipam", "slices of nodes that there are", async () => {
      const { items } = JSON.parse(await lab.kubectl(slices)) as {
        items: { status: { allocations: { nodeName: string }[] } }[];
      };
      const names = items.flatMap(({ status }) => status.allocations.map((each) => each.nodeName));
      return names.join().replaceAll(",", "") === "one";
    });
    const requests = await lab.asked();
    assert.ok(requests.some(({ account, verb }) => account === "tandem-ipam" && verb === "patch"));
    await lab.kubectl(["delete", "pod", "second"]);
  });

  test("[INST-6] who has the account of a part, and not the pod of a node, changes nothing of that node", async () => {
    const vip = await lab.as("tandem-vip", "two");
    const nodes = vip.resource("v1", "Node");
    const annotations = { "tandem.internal/vip": "{}" };
    await nodes.patch({ name: "two" }, { merge: { metadata: { annotations } } });
    const refused = [
      { name: "one", metadata: { annotations } },
      { name: "two", metadata: { annotations: { other: "1" } } },
      { name: "two", metadata: { labels: { taken: "over" } } },
    ];
    for (const { name, metadata } of refused) {
      await assert.rejects(
        nodes.patch({ name }, { merge: { metadata } }),
        /written by its own pod|only the annotation/,
      );
    }
    const balancer = await lab.as("tandem-balancer", "two");
    const leases = balancer.resource("coordination.k8s.io/v1", "Lease");
    await assert.rejects(
      leases.delete({ namespace: "kube-node-lease", name: "one" }),
      /the lease of its own node, and no other/,
    );
  });

  test("[INST-6] programs tell the metrics that alerts and dashboard ask for", async () => {
    const texts = [await lab.kubectl(["get", "--raw", "/metrics"])];
    for (const [part, port] of Object.entries(metricsPorts)) {
      const text = await fromOutside("192.0.2.1", port, "metrics");
      assert.match(text, /^process_resident_memory_bytes \d/m, part);
      texts.push(text);
    }
    texts.push((await lab.ask("client", url("tandem-dns.kube-system.svc", 9153, "metrics"))) ?? "");
    const told = new Set(
      [...texts.join("\n").matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name),
    );
    const asked = expressions().flatMap(metricsIn);
    assert.deepEqual(
      asked.filter((name) => !told.has(name)),
      [],
    );
  });

  test("[INST-6] the image has every program that a part has started", async () => {
    const all = ["-n", "kube-system", "-l", "app.kubernetes.io/part-of=tandem"];
    const logs = await lab.kubectl(["logs", ...all, "--tail=-1", "--prefix"]);
    const lines = logs.split("\n");
    assert.ok(lines.some((line) => line.includes("keeping the rules of services")));
    assert.deepEqual(
      lines.filter((line) => /not-installed|ENOENT/.test(line)),
      [],
    );
  });

  test("[INST-6] each part goes as it came, and had the rights that it used and no others", async () => {
    for (const { name } of parts.toReversed()) await lab.remove(name);
    const requests = (await lab.asked()).filter(({ account }) => account.startsWith("tandem-"));
    const refused = requests.filter(({ code }) => code === 403);
    assert.deepEqual(refused, []);
    const used = new Set(
      requests.map(({ account, verb, group, resource }) =>
        [account, verb, group, resource].join(" "),
      ),
    );
    const unused = grantedRights().filter((right) => !used.has(right) && !isSeldomUsed(right));
    assert.deepEqual(unused, []);
  });
});

const metricsPorts = { proxy: 10_249, policy: 10_247, ipam: 10_268, balancer: 10_265, vip: 10_263 };

/** Rights that a short and happy run does not use: expression of such rights → what they are for. */
const seldomUsed: ReadonlyMap<RegExp, string> = new Map([
  [/ (create|patch) {2}events$/, "services that cannot be served are told of by events"],
  [/^tandem-dns list /, "servers without streaming lists are asked for lists"],
  [/^tandem-ipam list .* overlappingrangeipreservations$/, "a runtime's GC compares all of them"],
]);

function isSeldomUsed(right: string): boolean {
  return [...seldomUsed.keys()].some((expression) => expression.test(right));
}

/** The rights of the manifests: account, verb, group and resource. */
function grantedRights(): readonly string[] {
  return parts.flatMap((part) =>
    part.objects({ image: "" }).rights.flatMap((object) => {
      if (object.kind !== "ClusterRole" && object.kind !== "Role") return [];
      const { name } = object.metadata;
      return (object.rules ?? []).flatMap(({ verbs, apiGroups = [], resources = [] }) =>
        verbs.flatMap((verb) =>
          apiGroups.flatMap((group) =>
            resources.map((resource) => [name, verb, group, resource].join(" ")),
          ),
        ),
      );
    }),
  );
}
