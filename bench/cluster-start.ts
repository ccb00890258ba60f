// Brings up a cluster of three nodes, runs a pod on each, and takes it down: how long each step takes, and what the
// programs need in memory.

import { rm } from "node:fs/promises";
import { prepareCluster, type TestCluster } from "../test/e2e/cluster.fixture.ts";
import { type Figures, lower } from "./harness.ts";

const pods = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "echo", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "echo" } },
    template: {
      metadata: { labels: { app: "echo" } },
      spec: { containers: [{ name: "echo", image: "tandem.internal/echo" }] },
    },
  },
};

/** Measures with this program, or with that of the clone. */
export async function measureStart(program?: string): Promise<Figures> {
  const cluster = await prepareCluster({ nodes: 3, ...(program === undefined ? {} : { program }) });
  try {
    const started = performance.now();
    await cluster.up();
    const nodes = performance.now();
    await cluster.kubectl.pipe(pods, "apply", "-f", "-");
    await cluster.kubectl.run("rollout", "status", "daemonset/echo", "--timeout=60s");
    const ready = performance.now();
    const memory = await memoryOf(cluster);
    const stopping = performance.now();
    await cluster.tandem(["down"]);
    return {
      "nodes ready": lower(nodes - started, "ms"),
      "pods ready": lower(ready - started, "ms"),
      down: lower(performance.now() - stopping, "ms"),
      ...memory,
    };
  } finally {
    await cluster.tandem(["down"]);
    await rm(cluster.directory, { recursive: true, force: true });
  }
}

async function memoryOf(cluster: TestCluster): Promise<Figures> {
  const { programs } = await cluster.status();
  return Object.fromEntries(
    programs.map(({ name, memoryBytes = 0 }) => [`${name} memory`, lower(memoryBytes, "bytes")]),
  );
}
