import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeFiles } from "../../base/host/files.fake.ts";
import { cgroupHierarchies, readCgroup } from "./cgroup-usage.ts";
import { interfacesOf, machineUsage } from "./machine-usage.ts";
import { resourceMetrics } from "./prometheus.ts";
import type { Sample } from "./samples.ts";
import { summaryOf } from "./summary.ts";
import { usageBetween } from "./usage.ts";

const older = `32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpuacct,cpu
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw`;
const newer = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw";

describe("usage", () => {
  test("of a cgroup is read from hierarchies of either version", async () => {
    const files = new FakeFiles();
    const write = (path: string, text: string) => files.write(`/sys/fs/cgroup/${path}`, text);
    await write("cpu/n/c/cpuacct.usage", "5000000000\n");
    await write("memory/n/c/memory.usage_in_bytes", "1000\n");
    await write("memory/n/c/memory.stat", "rss 1\ntotal_inactive_file 300\ntotal_rss 400\n");
    const expected = {
      cpuNanos: 5_000_000_000n,
      memoryBytes: 1_000,
      workingSetBytes: 700,
      residentBytes: 400,
    };
    assert.deepEqual(await readCgroup(files, cgroupHierarchies(older), "n/c"), expected);
    await write("n/c/cpu.stat", "usage_usec 5000000\nuser_usec 1\n");
    await write("n/c/memory.current", "1000\n");
    await write("n/c/memory.stat", "anon 400\ninactive_file 300\n");
    assert.deepEqual(await readCgroup(files, cgroupHierarchies(newer), "n/c"), expected);
    assert.equal(await readCgroup(files, cgroupHierarchies(newer), "gone"), undefined);
  });

  test("of the machine and its interfaces is read from /proc", () => {
    const meminfo = "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\n";
    assert.deepEqual(machineUsage("cpu  100 0 50 900 5 1 2 0 0 0\ncpu0 1 1", meminfo), {
      cpuNanos: 1_530_000_000n,
      memoryBytes: 900 * 1024,
      workingSetBytes: 600 * 1024,
      availableBytes: 400 * 1024,
    });
    const text =
      "Inter-|\n face |\n    lo: 9 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n  eth0: 7 1 2 0 0 0 0 0 8 1 3 0 0 0 0 0\n";
    assert.deepEqual(interfacesOf(text), [
      { name: "eth0", rxBytes: 7, rxErrors: 2, txBytes: 8, txErrors: 3 },
    ]);
  });

  const sampleAt = (at: number, nanos: bigint): Sample => ({
    at,
    machine: { cpuNanos: nanos * 2n, memoryBytes: 2, workingSetBytes: 1, availableBytes: 3 },
    interfaces: [],
    disk: { capacityBytes: 10, availableBytes: 4, inodes: 5, inodesFree: 1 },
    pods: [
      {
        pod: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { namespace: "default", name: "p", uid: "u" },
          spec: { containers: [] },
        },
        interfaces: [],
        containers: [
          {
            state: {
              id: "c",
              labels: {
                podUid: "u",
                podNamespace: "default",
                podName: "p",
                container: "main",
                kind: "container",
                attempt: 0,
              },
              image: "i",
              logPath: "",
              status: "running",
              startedAt: new Date(0),
            },
            usage: { cpuNanos: nanos, memoryBytes: 20, workingSetBytes: 10, residentBytes: 5 },
          },
        ],
      },
    ],
  });

  test("is a rate between two looks, told as kubelets do", () => {
    const usage = usageBetween(sampleAt(1_000, 10n ** 9n), sampleAt(3_000, 2n * 10n ** 9n));
    assert.deepEqual([usage.windowMs, usage.nodeNanoCores], [2_000, 1e9]);
    const { node, pods } = summaryOf("node-a", usage);
    assert.equal(node.fs.usedBytes, 6);
    assert.partialDeepStrictEqual(pods[0], {
      podRef: { namespace: "default", name: "p" },
      cpu: { usageNanoCores: 5e8 },
      containers: [{ name: "main", memory: { workingSetBytes: 10 } }],
    });
    const text = resourceMetrics(usage);
    const labels = '{container="main",namespace="default",pod="p"}';
    assert(text.includes(`\ncontainer_cpu_usage_seconds_total${labels} 2\n`));
    assert(text.includes("\nnode_memory_working_set_bytes 1\n"));
  });
});
