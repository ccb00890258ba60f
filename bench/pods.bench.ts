// A hundred pods on one node, ten at a time: from the creation of each until it is ready with an address
// of both families, where the time goes, and what the agent takes.

import { rm } from "node:fs/promises";
import type { Client } from "../src/api/client/client.ts";
import type { Pod } from "../src/api/types/core.ts";
import { connectToApi } from "../src/programs/connect/connect.ts";
import { prepareCluster, type TestCluster } from "../test/e2e/cluster.fixture.ts";
import { type Benchmark, distribution, type Figures, lower } from "./harness.ts";

const count = 100;
const concurrency = 10;

export default {
  title: "pods on one node",
  groups: () => [
    {
      name: "100 pods, 10 at a time: until ready with both addresses",
      cases: { "tandem agent": async () => () => measure() },
    },
  ],
} satisfies Benchmark;

async function measure(): Promise<Figures> {
  const cluster = await prepareCluster({ nodes: 1, dns: false });
  try {
    await cluster.up();
    const { kubeconfig } = cluster;
    const client = await connectToApi({ kubeconfig }, { component: "bench", env: {} });
    try {
      return await fill(cluster, client);
    } finally {
      client.transport.close();
    }
  } finally {
    await cluster.tandem(["down"]);
    await rm(cluster.directory, { recursive: true, force: true });
  }
}

async function fill(cluster: TestCluster, client: Client): Promise<Figures> {
  const pods = client.resource("v1", "Pod");
  const waiting = new Map<string, () => void>();
  const watching = new AbortController();
  const { resourceVersion } = await pods.list({ namespace: "default" });
  const following = (async () => {
    const { signal } = watching;
    for await (const event of await pods.watch({ namespace: "default", resourceVersion, signal })) {
      if (event.type !== "BOOKMARK" && isReady(event.object)) {
        waiting.get(event.object.metadata.name)?.();
      }
    }
  })().catch((error: unknown) => {
    if (!watching.signal.aborted) throw error;
  });
  const times: number[] = [];
  let next = 0;
  let memoryWith20 = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) {
        const name = `pod-${next++}`;
        const ready = Promise.withResolvers<void>();
        waiting.set(name, ready.resolve);
        const started = performance.now();
        await pods.create({
          metadata: { namespace: "default", name },
          spec: { containers: [{ name: "echo", image: "tandem.internal/echo" }] },
        });
        await ready.promise;
        times.push(performance.now() - started);
        if (times.length === 20) memoryWith20 = await agentMemory(cluster);
      }
    }),
  );
  const figures = {
    ...distribution(times),
    ...(await steps(cluster)),
    "agent with 20 pods": lower(memoryWith20, "bytes"),
    "agent with 100 pods": lower(await agentMemory(cluster), "bytes"),
  };
  watching.abort();
  await following;
  return figures;
}

function isReady({ status }: Pod): boolean {
  const ready = status?.conditions?.some(
    ({ type, status: is }) => type === "Ready" && is === "True",
  );
  return ready === true && status?.podIPs?.length === 2;
}

async function agentMemory(cluster: TestCluster): Promise<number> {
  const { programs } = await cluster.status();
  return programs.find(({ name }) => name === "node-1")?.memoryBytes ?? 0;
}

/** The mean of each step, as the agent tells. */
async function steps(cluster: TestCluster): Promise<Figures> {
  const text = await cluster.kubectl.run("get", "--raw", "/api/v1/nodes/node-1/proxy/metrics");
  const mean = (metric: "step" | "queue", step: string) => {
    const value = (what: string) =>
      Number(
        new RegExp(`^tandem_agent_${metric}_seconds_${what}\\{step="${step}"\\} (\\S+)$`, "m").exec(
          text,
        )?.[1] ?? 0,
      );
    return lower((value("sum") / value("count")) * 1000, "ms");
  };
  return {
    "waiting for a processor, sandbox, mean": mean("queue", "sandbox"),
    "network (CNI), mean": mean("step", "network"),
    "waiting for a processor, container, mean": mean("queue", "container"),
    "container, mean": mean("step", "container"),
  };
}
