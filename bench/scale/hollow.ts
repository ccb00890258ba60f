// Hollow nodes in a process of their own, which tells what they have seen and cost when asked.

import { readFileSync } from "node:fs";
import { Prefix } from "../../src/base/net/prefix.ts";
import { createStreamLog } from "../../src/base/program/log.ts";
import { runHollow } from "../../src/programs/hollow/hollow.ts";
import { watchGroups } from "../../src/programs/hollow/watches.ts";

export interface HollowArguments {
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly nodes: number;
  readonly first: number;
  readonly seed: number;
  readonly readyMs: number;
  readonly watches: readonly string[];
}

export interface HollowReport {
  /** The time from the send of a probe to each node, in milliseconds, in no order. */
  readonly lags: readonly number[];
  /** For each probe, the time until the last node has seen it; only of those that all have seen. */
  readonly slowest: readonly number[];
  /** All bytes read so far, sockets included. */
  readonly bytesRead: number;
}

/** The annotation of probes: the time at which they were sent, in milliseconds since 1970. */
export const sentAnnotation = "bench.tandem.internal/sent";

if (import.meta.main) {
  const settings = JSON.parse(process.argv[2] ?? "") as HollowArguments;
  const { nodes, readyMs, watches, ...rest } = settings;
  const probes = new Map<string, number[]>();
  const stop = new AbortController();
  process.on("message", () => process.send?.(report(probes, nodes)));
  process.once("disconnect", () => stop.abort());
  await runHollow(
    {
      ...rest,
      nodes,
      nodePrefix: "hollow",
      readyAfter: { from: readyMs, to: readyMs },
      startRate: 50,
      watches: watchGroups.filter((group) => watches.includes(group)),
      join: true,
      nodeLabels: [],
      registerWithTaints: [],
      nodeCidr: [Prefix.parse("198.18.0.0/15"), Prefix.parse("2001:2::/48")],
      podCidr: [],
      cpus: 64,
      memoryGib: 256,
      maxPods: 250,
      log: createStreamLog(process.stderr, { logLevel: "error", logFormat: "text" }),
      env: {},
    },
    stop.signal,
    ({ kind, metadata: { annotations } }) => {
      const sent = kind === "EndpointSlice" ? annotations?.[sentAnnotation] : undefined;
      if (sent === undefined) return;
      const times = probes.get(sent) ?? [];
      times.push(Date.now() - Number(sent));
      probes.set(sent, times);
    },
  );
}

function report(probes: ReadonlyMap<string, readonly number[]>, nodes: number): HollowReport {
  const all = [...probes.values()];
  const bytes = /^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1];
  return {
    lags: all.flat(),
    slowest: all.filter((times) => times.length >= nodes).map((times) => Math.max(...times)),
    bytesRead: Number(bytes ?? 0),
  };
}
