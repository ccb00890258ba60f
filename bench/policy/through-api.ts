// From a write to the API server to the kernel of a node: server, keeper and this one are processes of their own.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectByKubeconfig } from "../../examples/connect.ts";
import type { Client } from "../../src/api/client/client.ts";
import { freePorts } from "../../test/fixtures/etcd-member.ts";
import { type StoredObject, startFilledServer } from "../filled-server.ts";
import { distribution, type Figures, lower, type Measure } from "../harness.ts";
import { openField } from "./field.ts";
import type { KeeperCosts } from "./keeper.ts";
import { addressOf, podsEach, policyObject } from "./objects.ts";

type Scope = AsyncDisposableStack;

const changes = 50;
const creationTimestamp = "2026-01-01T00:00:00Z";
const thisNode = "node-0";

/** A measure of changes among so many policies, each with ten pods of both families. */
export async function changesThroughApi(scope: Scope, policies: number): Promise<Measure> {
  const kubeconfig = await startFilledServer(scope, storedObjects(policies));
  const { client } = await connectByKubeconfig("bench", kubeconfig);
  scope.defer(() => client.transport.close());
  const { router, routerNamespace } = await openField(scope);
  const { costs, loadedMs } = await startKeeper(scope, kubeconfig, routerNamespace);
  let written = Promise.withResolvers<number>();
  const monitor = await router.start(["nft", "monitor", "elements"], {
    diesWithParent: true,
    onLine: (line) => line.includes("element ip ") && written.resolve(performance.now()),
  });
  scope.defer(async () => void (await monitor.stop()));
  // nft reads all there is before it tells of changes, and begins anew when something changes meanwhile.
  for (let port = 82; !(await isDoneWithin(5000, written.promise)); port++) {
    await setPort(client, 0, port);
  }
  let next = 1;
  return async () => {
    const before = await costs();
    const times: { policy: number[]; pod: number[] } = { policy: [], pod: [] };
    for (let change = 0; change < changes; change++) {
      // Far apart, so that no policy is met twice in a row.
      const at = (next * 7919) % policies;
      const isBack = Math.floor(next++ / policies) % 2 === 1;
      for (const [kind, write] of [
        ["policy", () => setPort(client, at, isBack ? 80 : 81)],
        ["pod", () => setRole(client, at, isBack ? "client" : "other")],
      ] as const) {
        written = Promise.withResolvers();
        const started = performance.now();
        await write();
        times[kind].push((await written.promise) - started);
      }
    }
    const after = await costs();
    return {
      "start until in force": lower(loadedMs, "ms"),
      ...named("policy change", times.policy),
      ...named("pod change", times.pod),
      "own CPU per change": lower((after.cpu - before.cpu) / changes / 2, "ms"),
      memory: lower(after.rss, "bytes"),
    };
  };
}

async function isDoneWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), sleep(milliseconds, false)]);
}

function named(name: string, times: readonly number[]): Figures {
  const figures = Object.entries(distribution(times));
  return Object.fromEntries(figures.map(([which, figure]) => [`${name}, ${which}`, figure]));
}

async function startKeeper(scope: Scope, kubeconfig: string, namespace: string) {
  const [port = 0] = await freePorts(1, "127.0.0.1");
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const program = join(import.meta.dirname, "keeper.ts");
  const started = performance.now();
  const child = fork(program, [kubeconfig, namespace, thisNode, String(port)], {
    env,
    execArgv: ["--max-semi-space-size=8"],
  });
  scope.defer(async () => {
    if (child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.disconnect();
    await exited;
  });
  await untilInForce(port);
  const loadedMs = performance.now() - started;
  const costs = async (): Promise<KeeperCosts> => {
    const answer = once(child, "message");
    child.send("costs");
    const [told] = (await answer) as [KeeperCosts];
    return told;
  };
  return { costs, loadedMs };
}

async function untilInForce(port: number): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (performance.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined);
    await answer?.text();
    if (answer?.ok === true) return;
    await sleep(10);
  }
  throw new Error("the policies are not in force after two minutes");
}

async function setPort(client: Client, policy: number, port: number): Promise<void> {
  const place = { namespace: `n${policy}`, name: "p" };
  const { spec } = policyObject(policy, port);
  const { ingress = [] } = spec ?? {};
  await client
    .resource("networking.k8s.io/v1", "NetworkPolicy")
    .patch(place, { merge: { spec: { ingress } } });
}

async function setRole(client: Client, policy: number, role: string): Promise<void> {
  const place = { namespace: `n${policy}`, name: "p1" };
  await client.resource("v1", "Pod").patch(place, { merge: { metadata: { labels: { role } } } });
}

function* storedObjects(policies: number): Iterable<StoredObject> {
  for (let policy = 0; policy < policies; policy++) {
    const namespace = `n${policy}`;
    const meta = (name: string) => ({ namespace, name, uid: nextUid(), creationTimestamp });
    yield {
      key: `/registry/core/namespaces/${namespace}`,
      object: {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace, uid: nextUid(), creationTimestamp },
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Active" },
      },
    };
    const object = policyObject(policy, 80);
    yield {
      key: `/registry/networking.k8s.io/networkpolicies/${namespace}/p`,
      object: { ...object, metadata: meta("p") },
    };
    for (let pod = 0; pod < podsEach; pod++) {
      const podIPs = [{ ip: addressOf(policy, pod) }, { ip: `fd00::${hex(policy)}:${hex(pod)}` }];
      const name = `p${pod}`;
      yield {
        key: `/registry/core/pods/${namespace}/${name}`,
        object: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { ...meta(name), labels: { role: pod % 2 === 0 ? "server" : "client" } },
          spec: {
            nodeName: `node-${pod}`,
            containers: [{ name: "main", image: "registry/image:1" }],
          },
          status: { phase: "Running", podIP: podIPs[0]?.ip, podIPs },
        },
      };
    }
  }
}

let uids = 0;
function nextUid(): string {
  return `00000000-0000-4000-8000-${(uids++).toString(16).padStart(12, "0")}`;
}

function hex(number: number): string {
  return number.toString(16);
}
