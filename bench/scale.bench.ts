// How a cluster grows: real server processes, real stores, and hollow nodes (docs/hollow.md). NODES=100,1000 sets
// the sizes, WATCHES=routes,proxy,policies,balancer what the nodes watch. Each size and store is one cluster
// that goes through all profiles once, whatever RUNS says: a figure is of many calls already.

import { type Benchmark, type Case, type Figures, type Group, lower } from "./harness.ts";
import { ScaleCluster, type StoreName } from "./scale/cluster.ts";
import { PodTimes } from "./scale/pod-times.ts";
import { costOf } from "./scale/processes.ts";
import {
  churn,
  density,
  idle,
  load,
  namespace,
  nodeLost,
  restart,
  type Sizes,
} from "./scale/profiles.ts";

const stores: readonly StoreName[] = ["embedded", "etcd"];
const sizes = listOf("NODES", "25,100").map(Number);
const watches = listOf("WATCHES", "routes,proxy");
const readyMs = 500;

export default {
  title: "Hollow nodes",
  groups() {
    const measured = new Map<string, Figures>();
    const key = (store: StoreName, nodes: number) => `${store} ${nodes}`;
    const groups: Group[] = sizes.map((nodes) => ({
      name: `${nodes} nodes`,
      cases: Object.fromEntries(
        stores.map((store) => [
          store,
          once(async () => {
            const figures = await runProfiles(store, nodes);
            measured.set(key(store, nodes), figures);
            return figures;
          }),
        ]),
      ),
    }));
    const [least = 0] = sizes;
    const most = sizes.at(-1) ?? least;
    if (most === least) return groups;
    const growth = (store: StoreName): Case =>
      once(() => ratios(measured.get(key(store, least)), measured.get(key(store, most))));
    return [
      ...groups,
      {
        name: `growth from ${least} to ${most} nodes`,
        cases: Object.fromEntries(stores.map((store) => [store, growth(store)])),
      },
    ];
  },
} satisfies Benchmark;

async function runProfiles(store: StoreName, nodes: number): Promise<Figures> {
  await using scope = new AsyncDisposableStack();
  const cluster = scope.use(await ScaleCluster.start({ store, nodes, watches, readyMs }));
  const { client } = cluster;
  await client.resource("v1", "Namespace").create({ metadata: { name: namespace }, spec: {} });
  const started = performance.now();
  cluster.startNodes();
  await allReady(cluster);
  const joined = performance.now() - started;
  const { cpuMs } = await costOf(cluster.serverPids);
  const times = scope.use(new PodTimes(client, namespace));
  await times.synced;
  const own = sizesOf(nodes);
  return {
    "all nodes ready": lower(joined, "ms"),
    "server CPU for a node's join": lower(cpuMs / nodes, "ms"),
    ...(await density(cluster, times, own)),
    ...(await churn(cluster, times, own)),
    ...(await load(cluster, own)),
    ...(await idle(cluster, own)),
    ...(await nodeLost(cluster)),
    ...(await restart(cluster)),
  };
}

function sizesOf(nodes: number): Sizes {
  return {
    podsPerNode: Math.max(3, Math.min(10, Math.floor(3_000 / nodes))),
    createRate: 50,
    churnRate: 10,
    churnSeconds: 10,
    changes: 30,
    idleSeconds: 10,
  };
}

async function allReady({ client, options }: ScaleCluster): Promise<void> {
  const nodes = client.resource("v1", "Node");
  for (;;) {
    const { items } = await nodes.list({});
    const ready = items.filter(({ status }) =>
      (status?.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True"),
    );
    if (ready.length >= options.nodes) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Measures once, and returns the same figures again. */
function once(measure: () => Figures | Promise<Figures>): Case {
  let figures: Promise<Figures> | undefined;
  return () => () => {
    figures ??= Promise.resolve(measure());
    return figures;
  };
}

function ratios(few: Figures = {}, many: Figures = {}): Figures {
  const names = Object.keys(many).filter((name) => (few[name]?.value ?? 0) > 0);
  return Object.fromEntries(
    names.map((name) => {
      const [before, after] = [few[name]?.value ?? 1, many[name]?.value ?? 0];
      return [name, { value: after / before, unit: "×", better: many[name]?.better ?? "lower" }];
    }),
  );
}

function listOf(variable: string, usual: string): readonly string[] {
  return (process.env[variable] ?? usual).split(",");
}
