// Probes of real containers, by each preference of family, against servers of one family only.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Pod } from "../../src/api/types/core.ts";
import { openAgentCluster } from "./agent.fixture.ts";
import { isReady, joinPodNode, openPodNode, type PodNode, scripted } from "./pods.fixture.ts";

const listen = { ipv4: "TCP4-LISTEN", ipv6: "TCP6-LISTEN" } as const;
type Only = keyof typeof listen;

/** Which servers each preference finds; the first family of these clusters is IPv4. */
const cases: readonly { readonly preferred: string; readonly finds: readonly Only[] }[] = [
  { preferred: "none", finds: ["ipv4"] },
  { preferred: "ipv4", finds: ["ipv4"] },
  { preferred: "ipv6", finds: ["ipv6"] },
  { preferred: "dual-stack", finds: ["ipv4", "ipv6"] },
];

test("[PROBE-2] probes go to the family that is preferred", {
  timeout: 240_000,
}, async (context) => {
  await using cluster = await openAgentCluster();
  await using nodes = new AsyncDisposableStack();
  for (const [index, { preferred, finds }] of cases.entries()) {
    const words = [`--preferred-probe-ip-family=${preferred}`];
    const node = nodes.use(await joinPodNode(cluster, { number: index + 1, words }));
    await context.test(`preferring ${preferred} finds ${finds.join(" and ")}`, () =>
      findsOnly(node, finds),
    );
  }
});

async function findsOnly(node: PodNode, finds: readonly Only[]): Promise<void> {
  const name = (only: Only) => `${node.node.host.name}-${only}`;
  const all = Object.keys(listen) as Only[];
  for (const only of all) {
    const options = only === "ipv6" ? ",ipv6-v6only=1" : "";
    const script = `exec socat ${listen[only]}:7000,fork,reuseaddr${options} /dev/null`;
    const readinessProbe = { tcpSocket: { port: 7000 }, periodSeconds: 1 };
    await node.create(name(only), { script, container: { readinessProbe } });
  }
  for (const only of finds) await node.until(name(only), isReady);
  for (const only of all.filter((each) => !finds.includes(each))) {
    await node.eventually(`word of ${only}`, async () => isUnhealthy(node, name(only)));
    assert.ok(!isReady(await node.pods.get({ namespace: "default", name: name(only) })));
  }
}

describe("[PROBE-1] probes of a running pod", { timeout: 240_000 }, () => {
  let node: PodNode;
  before(async () => {
    node = await openPodNode();
  });
  after(() => node[Symbol.asyncDispose]());

  // A machine that is busy is no failure.
  const every = { periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 30 };
  const restarts = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.restartCount ?? 0;

  test("liveness: a container that hangs begins again", async () => {
    const exec = { command: ["test", "!", "-e", "/tmp/hung"] };
    const script =
      "test -e /state/was || { touch /state/was; sleep 1; touch /tmp/hung; }; exec sleep 1000";
    await node.create("hangs", {
      spec: {
        volumes: [{ name: "state", emptyDir: {} }],
        containers: [
          scripted("main", script, {
            livenessProbe: { ...every, exec },
            volumeMounts: [{ name: "state", mountPath: "/state" }],
          }),
        ],
      },
    });
    const { status } = await node.until("hangs", (pod) => restarts(pod) === 1 && isReady(pod));
    assert.ok(status?.containerStatuses?.[0]?.lastState?.terminated);
  });

  test("startup, then readiness: nothing else is asked before, and readiness comes and goes", async () => {
    const main = {
      name: "main",
      image: "tandem.internal/echo",
      args: ["serve", "--http-port=8080", "--udp-port=8080"],
      ports: [{ name: "http", containerPort: 8080 }],
      startupProbe: { ...every, failureThreshold: 30, tcpSocket: { port: "http" } },
      readinessProbe: { ...every, httpGet: { path: "/healthz", port: "http" } },
    };
    const pod = await node.run("toggles", { spec: { containers: [main] } });
    const [address] = pod.status?.podIPs ?? [];
    const say = (value: boolean) => {
      const url = `http://${address?.ip}:8080/ready?value=${value}`;
      return node.node.host.commands.run(["curl", "-sS", "-m", "30", "-X", "POST", url]);
    };
    await say(false);
    await node.until("toggles", (each) => !isReady(each));
    await say(true);
    const { status } = await node.until("toggles", isReady);
    assert.equal(status?.containerStatuses?.[0]?.restartCount, 0);
  });
});

async function isUnhealthy(node: PodNode, name: string): Promise<boolean> {
  const { items } = await node.client.resource("v1", "Event").list({ namespace: "default" });
  return items.some(
    ({ reason, involvedObject }) => reason === "Unhealthy" && involvedObject.name === name,
  );
}
