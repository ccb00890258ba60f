import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import type { PolicyReport } from "../../src/inspect/check/check.ts";
import { type DisposableCluster, disposableCluster } from "./cluster.fixture.ts";
import { balancedAddresses } from "./ingress-up.fixture.ts";
import {
  addressOf,
  applyAll,
  hold,
  podNamed,
  type ServedPod,
  startPods,
  tryFrom,
  useOnly,
} from "./policy.fixture.ts";
import { nothing, policy } from "./policy-objects.fixture.ts";

const tables = ["ip", "ip6"] as const;

describe("policies and ways into the cluster", () => {
  let cluster: DisposableCluster;
  let pods: readonly ServedPod[];
  const pod = (key: string) => podNamed(pods, key);
  const use = (...policies: Parameters<typeof useOnly>[1]) => useOnly(cluster, policies);

  const deleteTable = (family: string) =>
    cluster.in("node-1").run(["nft", "delete", "table", family, "tandem-policy"]);
  const tableIsBack = (family: string) =>
    cluster.until(`table ${family} is back`, async () => {
      const { stdout } = await cluster.in("node-1").run(["nft", "list", "tables"]);
      return stdout.includes(`table ${family} tandem-policy`) ? true : undefined;
    });

  before(async () => {
    cluster = await disposableCluster({ nodes: 2, dns: false, ingress: true });
    await cluster.up();
    pods = await startPods(cluster);
  });
  after(async () => cluster?.[Symbol.asyncDispose]());

  test("[POL-3] a client outside is itself to the policies of pods behind a load balancer", async () => {
    await applyAll(cluster, [balancer]);
    const addresses = await balancedAddresses(cluster, "service/balancer", { namespace: "x" });
    const probes = addresses.map((address) => ({ address, port: 80, protocol: "tcp" as const }));
    const expect = (...wanted: readonly boolean[]) =>
      cluster.until(`the answers from outside are ${wanted.join()}`, async () => {
        const answers = await tryFrom(cluster, "outside", probes);
        return answers.join() === wanted.join() ? true : undefined;
      });
    await use();
    await expect(true, true);
    await use(nothing);
    await expect(false, false);
    // A block of one family lets in over that one.
    await use(nothing, fromBlock("203.0.113.0/24"));
    await expect(true, false);
    await use(nothing, fromBlock("2001:db8:113::/48"));
    await expect(false, true);
  });

  test("[POL-3] ingress is a pod to the policies of pods behind it", async () => {
    await applyAll(cluster, [balancer, ingress]);
    const addresses = await balancedAddresses(cluster, "ingress/ways", { namespace: "x" });
    const expect = (isServed: boolean) =>
      cluster.until(`ingress ${isServed ? "serves" : "does not serve"}`, async () => {
        const codes = await Promise.all(addresses.map((address) => get(address)));
        return codes.every((code) => (code === "200") === isServed) ? true : undefined;
      });
    const get = async (address: string): Promise<string> => {
      const host = address.includes(":") ? `[${address}]` : address;
      const command = `curl --silent --output /dev/null --max-time 3 --write-out '%{http_code}' http://${host}/ways || true`;
      return (await cluster.in("outside").run(["sh", "-c", command])).stdout;
    };
    await use();
    await expect(true);
    await use(nothing);
    await expect(false);
    await use(nothing, fromIngress);
    await expect(true);
  });

  test("[POL-4] reports of multicast listeners pass where everything is denied", async () => {
    await use(nothing);
    await cluster.until("nothing passes", async () => {
      const probes = families.map((family) => ({
        address: addressOf(pod("x/c"), family),
        port: 8080,
        protocol: "tcp" as const,
      }));
      const answers = await tryFrom(cluster, "x/a", probes);
      return answers.includes(true) ? undefined : true;
    });
    // A bridge that snoops would not send reports to other pods.
    await cluster
      .in("node-1")
      .run(["ip", "link", "set", "cbr0", "type", "bridge", "mcast_snooping", "0"]);
    const watch = `table ip6 watch {
      chain after { type filter hook forward priority filter + 10; icmpv6 type { mld2-listener-report, mld-listener-report } counter; }
    }`;
    await cluster.in("node-1").run(["nft", "-f", "-"], { stdin: watch });
    await cluster.until("a report has passed", async () => {
      const join = "timeout 0.2 socat -u UDP6-RECV:9999,ipv6-join-group=[ff05::99]:eth0 - || true";
      await cluster.in("x/a").run(["sh", "-c", join]);
      const { stdout } = await cluster.in("node-1").run(["nft", "list", "table", "ip6", "watch"]);
      return /packets 0 /.test(stdout) ? undefined : true;
    });
  });

  test("[POL-5] a table that somebody deletes is back at once", async () => {
    await use(nothing);
    for (const family of tables) {
      await deleteTable(family);
      await tableIsBack(family);
    }
    const { stdout } = await cluster
      .in("node-1")
      .run(["curl", "--silent", "http://localhost:10248/metrics"]);
    assert.match(stdout, /^tandem_policy_repairs_total\{family="IPv6"\} [1-9]/m);
  });

  test("[POL-5] connections that began while a table was deleted end when it is back", async () => {
    await use(nothing);
    const { programs } = await cluster.status();
    const agent = programs.find(({ name }) => name === "node-1")?.pid;
    assert.ok(agent !== undefined);
    const held: Awaited<ReturnType<typeof hold>>[] = [];
    try {
      process.kill(agent, "SIGSTOP");
      for (const family of tables) await deleteTable(family);
      for (const family of families) {
        const one = await hold(cluster, "y/a", addressOf(pod("x/c"), family));
        held.push(one);
        await cluster.until(`a connection over ${family} is used`, async () =>
          one.lines.length > 2 ? true : undefined,
        );
      }
      process.kill(agent, "SIGCONT");
      for (const family of tables) await tableIsBack(family);
      for (const one of held) {
        await cluster.until("a connection ends", async () =>
          one.lines.includes("ended") ? true : undefined,
        );
      }
    } finally {
      process.kill(agent, "SIGCONT");
      await Promise.all(held.map((one) => one.stop()));
    }
  });

  test("[POL-7] check --policies tries with packets what policies say, and leaves nothing behind", async () => {
    await use(onlyFront);
    const report = JSON.parse(
      await cluster.tandem(["check", "--policies=x", "--output=json"], { timeoutMs: 200_000 }),
    ) as PolicyReport;
    assert.equal(report.failed, 0);
    assert.deepEqual(report.families, ["IPv4", "IPv6"]);
    assert.deepEqual(report.policies, ["x/only-front"]);
    const said = new Set(report.results.map(({ passes, found }) => `${passes} ${found}`));
    assert.deepEqual(said, new Set(["true refused", "false silent"]));
    assert.ok(
      report.results.some(({ passes, by }) => passes && by === "x/only-front, ingress rule 1"),
    );
    const left = await cluster.kubectl.run("get", "pods,configmaps,namespaces", "-A", "-o", "name");
    assert.doesNotMatch(left, /tandem-check/);
  });
});

const balancer = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "x", name: "balancer" },
  spec: {
    type: "LoadBalancer",
    externalTrafficPolicy: "Local",
    ipFamilyPolicy: "RequireDualStack",
    selector: { app: "c" },
    ports: [{ port: 80, targetPort: 8080 }],
  },
};

const ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { namespace: "x", name: "ways" },
  spec: {
    rules: [
      {
        http: {
          paths: [
            {
              path: "/ways",
              pathType: "Prefix",
              backend: { service: { name: "balancer", port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
};

const onlyFront = policy("only-front", {
  podSelector: { matchLabels: { app: "c" } },
  ingress: [
    { from: [{ podSelector: { matchLabels: { tier: "front" } } }], ports: [{ port: 8081 }] },
    {
      from: [{ namespaceSelector: { matchLabels: { team: "a" } } }],
      ports: [{ protocol: "UDP", port: 5000, endPort: 6000 }],
    },
  ],
  policyTypes: ["Ingress"],
});

const fromIngress = policy("from-ingress", {
  podSelector: { matchLabels: { app: "c" } },
  ingress: [
    {
      from: [
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
          podSelector: { matchLabels: { "app.kubernetes.io/component": "ingress" } },
        },
      ],
    },
  ],
  policyTypes: ["Ingress"],
});

function fromBlock(cidr: string) {
  return policy("from-block", {
    podSelector: { matchLabels: { app: "c" } },
    ingress: [{ from: [{ ipBlock: { cidr } }] }],
    policyTypes: ["Ingress"],
  });
}
