// The loads: filling a cluster with pods, churn, services of three sizes, a node that is lost, a server that is
// started again. Each returns its figures.

import { setTimeout as sleep } from "node:timers/promises";
import { distribution, type Figures, higher, lower } from "../harness.ts";
import { graceSeconds, type ScaleCluster } from "./cluster.ts";
import { sentAnnotation } from "./hollow.ts";
import { openLoop } from "./open-loop.ts";
import type { PodTimes } from "./pod-times.ts";
import { costOf } from "./processes.ts";

export const namespace = "scale";

export interface Sizes {
  readonly podsPerNode: number;
  readonly createRate: number;
  readonly churnRate: number;
  readonly churnSeconds: number;
  readonly changes: number;
  readonly idleSeconds: number;
}

/** Fills the cluster at a rate; then reads of one object, of a namespace and of everything. */
export async function density(
  cluster: ScaleCluster,
  times: PodTimes,
  sizes: Sizes,
): Promise<Figures> {
  const { client, options } = cluster;
  const pods = client.resource("v1", "Pod");
  const count = sizes.podsPerNode * options.nodes;
  const started = performance.now();
  const created = await openLoop({ rate: sizes.createRate, count }, async (n) => {
    times.created(`pod-${n}`);
    await pods.create(podOf(n, count));
  });
  await times.until(() => times.readyCount >= count);
  const elapsed = performance.now() - started;
  const { toBound, toReady } = times.take();
  const one = await openLoop({ rate: 50, count: 200 }, (n) =>
    pods.get({ namespace, name: `pod-${n % count}` }),
  );
  const listed = await openLoop({ rate: 2, count: 6 }, () => pods.list({ namespace }));
  const all = await openLoop({ rate: 1, count: 4 }, () => pods.list({}));
  return {
    "pods filled": higher((1000 * count) / elapsed, "pods/s"),
    ...spread("create pod", created.latencies),
    ...spread("create to bound", toBound),
    ...spread(
      "bound to ready, above the drawn time",
      toReady.map((ms) => ms - options.readyMs),
    ),
    ...spread("get one pod", one.latencies),
    ...spread("list a namespace's pods", listed.latencies),
    ...spread("list all pods", all.latencies),
    failures: lower(created.failures + one.failures + listed.failures + all.failures, "calls"),
  };
}

/** Deletes pods and creates others in their place at a steady rate. */
export async function churn(
  cluster: ScaleCluster,
  times: PodTimes,
  sizes: Sizes,
): Promise<Figures> {
  const { client, options } = cluster;
  const pods = client.resource("v1", "Pod");
  const total = sizes.podsPerNode * options.nodes;
  const count = Math.min(total, sizes.churnRate * sizes.churnSeconds);
  const before = await costOf(cluster.serverPids);
  const removing = openLoop({ rate: sizes.churnRate, count }, (n) =>
    pods.delete({ namespace, name: `pod-${n}` }),
  );
  const created = await openLoop({ rate: sizes.churnRate, count }, async (n) => {
    times.created(`pod-${total + n}`);
    await pods.create(podOf(total + n, total));
  });
  const removed = await removing;
  await times.until(() => times.count === total && times.readyCount === total);
  const after = await costOf(cluster.serverPids);
  const { toBound } = times.take();
  return {
    ...spread("churn: create pod", created.latencies),
    ...spread("churn: delete pod", removed.latencies),
    ...spread("churn: create to bound", toBound),
    "churn: server CPU for a pod": lower((after.cpuMs - before.cpuMs) / count, "ms"),
    "churn: failures": lower(created.failures + removed.failures, "calls"),
  };
}

const services = { small: 5, medium: 30, large: 250 } as const;

/** Creates a service of each size, and awaits its endpoints; then changes one slice again and again. */
export async function load(cluster: ScaleCluster, sizes: Sizes): Promise<Figures> {
  const { client, options } = cluster;
  const figures: Record<string, Figures[string]> = {};
  const total = sizes.podsPerNode * options.nodes;
  for (const [size, wanted] of Object.entries(services)) {
    const count = Math.min(wanted, total);
    const started = performance.now();
    await client.resource("v1", "Service").create({
      metadata: { namespace, name: size },
      spec: { selector: { [size]: "0" }, ports: [{ port: 80 }] },
    });
    await endpointsOf(cluster, size, count);
    figures[`service of ${count} endpoints complete`] = lower(performance.now() - started, "ms");
  }
  const before = await costOf(cluster.serverPids);
  await changeSlice(cluster, { rate: 5, count: sizes.changes });
  await sleep(1_000);
  const after = await costOf(cluster.serverPids);
  const { lags, slowest } = await cluster.report();
  return {
    ...figures,
    ...spread("watch lag of a node", lags),
    ...spread("endpoint change seen by every node", slowest),
    "endpoint changes not seen by all": lower(sizes.changes - slowest.length, "changes"),
    "server CPU for an endpoint change": lower((after.cpuMs - before.cpuMs) / sizes.changes, "ms"),
  };
}

/** What the cluster costs while nothing happens but heartbeats. */
export async function idle(cluster: ScaleCluster, { idleSeconds }: Sizes): Promise<Figures> {
  const components = {
    server: cluster.serverPids,
    store: cluster.storePids,
    "hollow nodes": cluster.hollowPids,
  };
  const measured = Object.entries(components).filter(([, pids]) => pids.length > 0);
  const costs = () => Promise.all(measured.map(([, pids]) => costOf(pids)));
  const [before, reportBefore] = [await costs(), await cluster.report()];
  await sleep(1000 * idleSeconds);
  const [after, reportAfter] = [await costs(), await cluster.report()];
  const bytes = reportAfter.bytesRead - reportBefore.bytesRead;
  const perMinute = 60 / idleSeconds;
  const figures = measured.flatMap(([name], index) => {
    const used = (after[index]?.cpuMs ?? 0) - (before[index]?.cpuMs ?? 0);
    return [
      [`idle: CPU of ${name}`, lower((100 * used) / (1000 * idleSeconds), "% of a core")] as const,
      [`memory of ${name}`, lower(after[index]?.bytes ?? 0, "bytes")] as const,
    ];
  });
  return {
    ...Object.fromEntries(figures),
    "idle: read by a node in a minute": lower((bytes * perMinute) / cluster.options.nodes, "bytes"),
    "store on disk": lower(await cluster.storeBytes(), "bytes"),
  };
}

/** Kills a node, and awaits that it is told to be lost. */
export async function nodeLost(cluster: ScaleCluster): Promise<Figures> {
  const { client, options } = cluster;
  const name = `hollow-${options.nodes}`;
  const nodes = client.resource("v1", "Node");
  const statusOf = async () => {
    const { items } = await nodes.list({ fieldSelector: `metadata.name=${name}` });
    return items[0]?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
  };
  const child = cluster.startHollow({ nodes: 1, first: options.nodes });
  await poll(async () => (await statusOf()) === "True");
  child.kill("SIGKILL");
  const killed = performance.now();
  await poll(async () => (await statusOf()) === "Unknown");
  const elapsed = performance.now() - killed;
  return { "node lost, against the grace period": lower(elapsed - 1000 * graceSeconds, "ms") };
}

/** Kills the server and starts it again, and awaits that a change reaches every node. */
export async function restart(cluster: ScaleCluster): Promise<Figures> {
  const { server } = cluster;
  const seenBefore = (await cluster.report()).slowest.length;
  await server.kill();
  const started = performance.now();
  await server.launch();
  const served = performance.now() - started;
  await changeSlice(cluster, { rate: 1, count: 1 });
  await poll(async () => (await cluster.report()).slowest.length > seenBefore);
  return {
    "restart until served": lower(served, "ms"),
    "restart until every node sees a change": lower(performance.now() - started, "ms"),
  };
}

async function changeSlice(
  { client }: ScaleCluster,
  pace: { readonly rate: number; readonly count: number },
): Promise<void> {
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const name = "probe";
  const known = await slices.list({ namespace, fieldSelector: `metadata.name=${name}` });
  if (known.items.length === 0) {
    await slices.create({
      metadata: { namespace, name, labels: { "kubernetes.io/service-name": "probe" } },
      addressType: "IPv4",
      endpoints: Array.from({ length: 100 }, (_, n) => ({ addresses: [`192.0.2.${n + 1}`] })),
      ports: [{ name: "", port: 80, protocol: "TCP" }],
    });
  }
  await openLoop(pace, async (n) => {
    const annotations = { [sentAnnotation]: String(Date.now()) };
    const endpoints = Array.from({ length: 100 }, (_, at) => ({
      addresses: [`192.0.2.${at + 1}`],
      conditions: { ready: at !== n % 100 },
    }));
    await slices.patch({ namespace, name }, { merge: { metadata: { annotations }, endpoints } });
  });
}

async function endpointsOf({ client }: ScaleCluster, name: string, count: number): Promise<void> {
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const labelSelector = `kubernetes.io/service-name=${name}`;
  await poll(async () => {
    const { items } = await slices.list({ namespace, labelSelector });
    const found = items.filter(({ addressType }) => addressType === "IPv4");
    return found.flatMap(({ endpoints }) => endpoints ?? []).length >= count;
  });
}

/** Asks again and again until it is so, for a few minutes. */
async function poll(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error("Cannot wait any longer: it did not happen");
    await sleep(20);
  }
}

function spread(name: string, latencies: readonly number[]): Figures {
  const { p50, p99 } = distribution(latencies);
  if (latencies.length === 0 || p50 === undefined || p99 === undefined) return {};
  return { [`${name}, p50`]: p50, [`${name}, p99`]: p99 };
}

/** A pod takes the groups of the one that it replaces, `total` before it. */
function podOf(n: number, total: number) {
  const groups = Object.entries(services).flatMap(([size, count]) =>
    n % total < count ? [[size, "0"] as const] : [],
  );
  return {
    metadata: { namespace, name: `pod-${n}`, labels: Object.fromEntries(groups) },
    spec: {
      containers: [
        { name: "main", image: "registry/app:1", resources: { requests: { cpu: "10m" } } },
      ],
      terminationGracePeriodSeconds: 1,
    },
  };
}
