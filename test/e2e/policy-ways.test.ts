import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { CommandError } from "../../src/base/host/error.ts";
import { families } from "../../src/base/net/family.ts";
import { type DisposableCluster, disposableCluster } from "./cluster.fixture.ts";
import {
  addressOf,
  advertise,
  applyAll,
  hold,
  podNamed,
  type ServedPod,
  startPods,
  tryFrom,
  useOnly,
} from "./policy.fixture.ts";
import { nothing, onlyA, onlyHttp, policy, service } from "./policy-objects.fixture.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;

describe("policies and the ways into and out of pods", () => {
  let cluster: DisposableCluster;
  let pods: readonly ServedPod[];
  const pod = (key: string) => podNamed(pods, key);
  const use = (...policies: Parameters<typeof useOnly>[1]) => useOnly(cluster, policies);
  /** Asks until the answers are these, for policies take a moment. */
  const expect = async (
    from: string,
    probes: Parameters<typeof tryFrom>[2],
    wanted: readonly boolean[],
  ): Promise<void> => {
    let answers: readonly boolean[] = [];
    for (let attempt = 0; attempt < 20; attempt++) {
      answers = await tryFrom(cluster, from, probes);
      if (answers.join() === wanted.join()) return;
    }
    assert.deepEqual(answers, wanted, `from ${from}: ${JSON.stringify(probes)}`);
  };
  const probesOf = (key: string, port = 8080, protocol: "tcp" | "udp" = "tcp") =>
    families.map((family) => ({ address: addressOf(pod(key), family), port, protocol }));

  before(async () => {
    cluster = await disposableCluster({ nodes: 2, dns: false, route: "vxlan" });
    await cluster.up();
    pods = await startPods(cluster);
  });
  after(async () => cluster?.[Symbol.asyncDispose]());

  test("[POL-3] a policy sees the pod behind a service, and who asks by a node port", async () => {
    const outside = await outsideAddresses(cluster);
    await applyAll(cluster, [service]);
    const { spec } = JSON.parse(
      await cluster.kubectl.run("get", "service", "c", "-n", "x", "-o", "json"),
    ) as { spec: { clusterIPs: string[]; ports: { nodePort: number }[] } };
    const ofService = inFamilies(spec.clusterIPs).map((address) => ({
      address,
      port: 80,
      protocol: "tcp" as const,
    }));
    const nodePort = spec.ports[0]?.nodePort ?? 0;
    const ofNode = inFamilies(await nodeAddresses(cluster)).map((address) => ({
      address,
      port: nodePort,
      protocol: "tcp" as const,
    }));
    const block = { cidr: `${outside[0]}/32` };
    const fromOutside = policy("from-outside", {
      podSelector: { matchLabels: { app: "c" } },
      ingress: [{ from: [{ ipBlock: block }] }],
      policyTypes: ["Ingress"],
    });
    await use(onlyA, fromOutside);
    await expect("x/a", ofService, [true, true]);
    await expect("y/a", ofService, [false, false]);
    await expect("y/b", ofService, [false, false]);
    await expect("y/a", ofNode, [false, false]);
    // A pod reaches itself.
    await expect("x/c", ofService, [true, true]);
    // The block is of IPv4: the host outside is let in over IPv4 alone.
    await expect("outside", ofNode, [true, false]);
    await use(onlyA);
    await expect("outside", ofNode, [false, false]);
  });

  test("[POL-5] a connection that a new policy denies ends, and one that it allows goes on", async () => {
    await use();
    const target = pod("x/c");
    const held = await Promise.all(
      families.flatMap((family) =>
        ["x/a", "y/a", "y/b"].map(async (from) => {
          const address = addressOf(target, family);
          return { from, family, ...(await hold(cluster, from, address)) };
        }),
      ),
    );
    try {
      for (const one of held) {
        await cluster.until("the connection is used", async () =>
          one.lines.length > 2 ? true : undefined,
        );
      }
      await use(onlyA);
      for (const one of held.filter(({ from }) => from !== "x/a")) {
        await cluster.until(`${one.family} from ${one.from} ends`, async () =>
          one.lines.includes("ended") ? true : undefined,
        );
      }
      for (const one of held.filter(({ from }) => from === "x/a")) {
        const count = one.lines.length;
        await cluster.until("what is allowed goes on", async () =>
          one.lines.length > count + 3 ? true : undefined,
        );
        assert.ok(!one.lines.includes("ended"));
      }
    } finally {
      await Promise.all(held.map((one) => one.stop()));
    }
  });

  test("[POL-4] neighbour discovery, full-size packets and probes get through where nearly everything is denied", async () => {
    await use(onlyHttp);
    await expect("x/a", probesOf("x/c", 8081), [false, false]);
    for (const key of ["x/a", "x/c"]) {
      await cluster.in(key).run(["ip", "neighbour", "flush", "all"]);
      await cluster.in(key).run(["ip", "-6", "neighbour", "flush", "all"]);
    }
    await expect("x/a", probesOf("x/c"), [true, true]);
    await expect("x/a", probesOf("x/b"), [true, true]);
    // Longer than any packet, to the other node through the tunnel.
    for (const family of families) {
      const address = addressOf(pod("x/b"), family);
      const host = family === "IPv6" ? `[${address}]` : address;
      const url = `http://${host}:8080/${"long".repeat(1500)}`;
      const { stdout } = await cluster.in("x/a").run(["curl", "--silent", "--max-time", "20", url]);
      assert.match(stdout, /longlonglong/);
    }
    // Its second container is probed on a port that nobody else may use.
    const ready = await cluster.kubectl.run(
      "get",
      "pods",
      "-n",
      "x",
      "-o",
      "jsonpath={.items[*].status.containerStatuses[*].ready}",
    );
    assert.doesNotMatch(ready, /false/);
  });

  test("[POL-4] messages that a packet is too big reach the sender, and it sends smaller ones, where nearly everything is denied", async () => {
    await use(onlyHttp);
    await expect("x/a", probesOf("x/b", 8081), [false, false]);
    for (const family of families) {
      const address = addressOf(pod("x/b"), family);
      // The other node's way to the pod is narrow: it drops full-size packets and tells the sender's pod so.
      const narrow = [address, "dev", "cbr0", "mtu", "lock", "1280"];
      await cluster.in("node-2").run(["ip", "route", "add", ...narrow]);
      const host = family === "IPv6" ? `[${address}]` : address;
      const url = `http://${host}:8080/${"long".repeat(1500)}`;
      const { stdout } = await cluster.in("x/a").run(["curl", "--silent", "--max-time", "20", url]);
      assert.match(stdout, /longlonglong/);
      const { stdout: route } = await cluster.in("x/a").run(["ip", "route", "get", address]);
      assert.match(route, / mtu 1280/, "the sender has learned the size");
      await cluster.in("node-2").run(["ip", "route", "delete", ...narrow]);
    }
  });

  test("[POL-4] the gateway's router advertisements reach a pod to which everything is denied, and a pod's own reach nobody", async () => {
    await use(nothing);
    await expect("x/a", probesOf("x/c"), [false, false]);
    // What a place takes in, after our own chains.
    const watch = `table ip6 watch {
      chain input { type filter hook input priority filter + 10; icmpv6 type nd-router-advert counter; }
    }`;
    for (const place of ["x/a", "x/b", "x/c", "node-1", "node-2"]) {
      await cluster.in(place).run(["nft", "-f", "-"], { stdin: watch });
    }
    const seenIn = async (place: string): Promise<number> => {
      const { stdout } = await cluster.in(place).run(["nft", "list", "table", "ip6", "watch"]);
      return Number(/counter packets (\d+)/.exec(stdout)?.[1]);
    };
    const everyone = (link: string) => `[ff02::1%${link}]`;
    const receivers = ["x/a", "x/b", "x/c"];
    const earlier = await Promise.all(receivers.map(seenIn));

    // Pods first: when the gateway's have come, what pods had sent before would have come as well.
    const others = ["x/b", "x/c"].map((key) => `[${addressOf(pod(key), "IPv6")}]`);
    await advertise(cluster, "x/a", [everyone("eth0"), ...others]);
    const { stdout: sent } = await cluster.in("x/a").run(["nstat", "-saz", "Icmp6OutType134"]);
    assert.match(sent, /Icmp6OutType134 +3 /, "the pod has sent them");
    await advertise(cluster, "node-1", [everyone("cbr0")]);
    await advertise(cluster, "node-2", [everyone("cbr0")]);
    await cluster.until("those of gateways have come", async () => {
      const now = await Promise.all(receivers.map(seenIn));
      return now.every((count, index) => count > (earlier[index] ?? 0)) ? true : undefined;
    });
    assert.deepEqual(
      await Promise.all([...receivers, "node-1", "node-2"].map(seenIn)),
      [...earlier.map((count) => count + 1), 0, 0],
      "only what gateways have sent has come",
    );
  });

  test("[POL-7] denials are told, counted, traced and shown with their policy; audit mode denies nothing", async () => {
    await use(onlyA);
    await expect("y/a", probesOf("x/c"), [false, false]);
    const by = "no ingress rule of x/only-a allows it";
    const trace = await tandemOrFail(cluster, ["trace", "pod/y/a", "pod/x/c:8080"]);
    assert.match(trace, new RegExp(`ingress is denied by policy: ${by}`));
    const passed = await tandemOrFail(cluster, ["trace", "pod/x/a", "pod/x/c:8080"]);
    assert.match(passed, /ingress is allowed by policy: x\/only-a, ingress rule 1/);
    const kubeconfig = `--kubeconfig=${cluster.kubeconfig}`;
    const shown = await cluster.tandem(["policy", "show", "x/c", kubeconfig]);
    assert.match(shown, /x\/only-a\s+1\s+accept\s+pods \(app=a\) in x\s+8080\/tcp/);
    assert.match(shown, /x\/only-a\s+otherwise\s+deny/);

    const lines: string[] = [];
    const own = join(cluster.directory, "data/nodes/node-1/identity/kubeconfig");
    const log = await cluster
      .in("node-1")
      .start([launcher, "policy", "log", "--output=json", `--kubeconfig=${own}`], {
        onLine: (line) => lines.push(line),
      });
    try {
      for (const family of families) {
        const destination = addressOf(pod("x/c"), family);
        const denial = await cluster.until(`${family} denials are told`, async () => {
          await tryFrom(cluster, "y/b", probesOf("x/c"));
          const told = lines.flatMap((line) =>
            line.startsWith("{") ? [JSON.parse(line) as Told] : [],
          );
          return told.find((one) => one.destination === destination && one.from === "y/b");
        });
        const { to, protocol, port, direction } = denial;
        assert.deepEqual(
          { to, protocol, port, direction, by: denial.by },
          { to: "x/c", protocol: "tcp", port: 8080, direction: "ingress", by },
        );
      }
    } finally {
      await log.stop();
    }

    await cluster.kubectl.run("label", "namespace", "x", "tandem.internal/policy-mode=audit");
    await expect("y/a", probesOf("x/c"), [true, true]);
    await cluster.until("what would be denied is counted", async () => {
      const { stdout } = await cluster
        .in("node-1")
        .run(["curl", "--silent", "http://localhost:10248/metrics"]);
      const counts = ["audit", "enforce"].map((mode) =>
        stdout
          .split("\n")
          .some(
            (line) =>
              line.startsWith("tandem_policy_denied_packets_total") &&
              line.includes('policy="x/only-a"') &&
              line.includes(`mode="${mode}"`),
          ),
      );
      return counts.every(Boolean) ? true : undefined;
    });
    await cluster.kubectl.run("label", "namespace", "x", "tandem.internal/policy-mode-");
    await expect("y/a", probesOf("x/c"), [false, false]);
  });
});

interface Told {
  readonly from?: string;
  readonly to?: string;
  readonly destination: string;
  readonly protocol: string;
  readonly port: number;
  readonly direction: string;
  readonly by: string;
}

/** IPv4 before IPv6. */
function inFamilies(addresses: readonly string[]): readonly string[] {
  return addresses.toSorted(
    (one, other) => Number(one.includes(":")) - Number(other.includes(":")),
  );
}

async function nodeAddresses({ kubectl }: DisposableCluster): Promise<readonly string[]> {
  const path = 'jsonpath={.status.addresses[?(@.type=="InternalIP")].address}';
  return (await kubectl.run("get", "node", "node-1", "-o", path)).split(" ");
}

async function outsideAddresses(cluster: DisposableCluster): Promise<readonly string[]> {
  const { stdout } = await cluster
    .in("outside")
    .run(["ip", "-json", "address", "show", "scope", "global"]);
  const links = JSON.parse(stdout) as { addr_info?: { local?: string }[] }[];
  return inFamilies(
    links.flatMap(({ addr_info = [] }) => addr_info.flatMap(({ local }) => local ?? [])),
  );
}

/** A packet that is not delivered makes it end with 1. */
async function tandemOrFail(cluster: DisposableCluster, args: readonly string[]): Promise<string> {
  try {
    return await cluster.tandem(args);
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === 1) return error.stdout;
    throw error;
  }
}
