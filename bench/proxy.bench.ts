// Service proxies with the same objects from the same API server, in a namespace of their own: how long
// everything takes to get into the kernel, how long one change takes, and what connections notice of it.

import {
  type Benchmark,
  type Case,
  distribution,
  type Figures,
  type Group,
  higher,
  lower,
  type Measure,
  Unavailable,
} from "./harness.ts";
import { type Field, openField } from "./proxy/field.ts";
import type { Findings } from "./proxy/measure.ts";
import { checkPeer } from "./proxy/subjects.ts";

export default {
  title: "services in the kernel, 5 endpoints each",
  groups: () => [
    group(1_000, { ...ours, ...theirs }),
    group(10_000, { ...ours, ...theirs }),
    group(30_000, { "tandem nftables": ours["tandem nftables"] }),
  ],
} satisfies Benchmark;

interface Pace {
  readonly changes: number;
  readonly burst: number;
  /** A peer that takes minutes is measured once, and the figures count for all runs. */
  readonly isOnce: boolean;
}

const fast: Pace = { changes: 20, burst: 1000, isOnce: false };
const slow: Pace = { changes: 5, burst: 1000, isOnce: true };

const ours = { "tandem nftables": fast, "tandem iptables-legacy": fast } as const;
const theirs = { "kube-proxy nftables": slow, "kube-proxy iptables-legacy": slow } as const;

function group(services: number, paces: Readonly<Record<string, Pace>>): Group {
  let field: Promise<Field> | undefined;
  const names = Object.keys(paces);
  const caseOf =
    (name: string, pace: Pace): Case =>
    async (scope) => {
      if (name in theirs) await checkPeer();
      // The first opens it for all of them, and closes it: they end together.
      field ??= openField(scope, services);
      return measureOf(await field, name, pace);
    };
  return {
    name: `${services} services`,
    ...(names.includes("kube-proxy nftables") && { baseline: "kube-proxy nftables" }),
    cases: Object.fromEntries(
      Object.entries(paces).map(([name, pace]) => [name, caseOf(name, pace)]),
    ),
  };
}

function measureOf(field: Field, name: string, pace: Pace): Measure {
  let known: Figures | undefined;
  return async () => {
    if (known !== undefined && pace.isOnce) return known;
    const findings = await field.measure(name, pace);
    if ("tooSlow" in findings) throw new Unavailable(findings.tooSlow);
    known = figuresOf(findings);
    return known;
  };
}

function figuresOf(findings: Findings): Figures {
  const { p50, p99 } = distribution(findings.changes);
  const { connect, connectDirectly, burst } = findings;
  return {
    "start to first connection": lower(findings.start * 1000, "ms"),
    "full sync": lower(findings.sync * 1000, "ms"),
    ...(p50 && { "one change p50": p50 }),
    ...(p99 && { "one change p99": p99 }),
    "CPU per change": lower(findings.cpuPerChangeMs, "ms"),
    "1000 changes, with the API": lower(burst.total * 1000, "ms"),
    "behind the API": lower(burst.behind * 1000, "ms"),
    "1000 changes at once": lower(burst.atOnce * 1000, "ms"),
    memory: lower(findings.memory, "bytes"),
    "connect() p50": lower(connect.p50, "µs"),
    "connect() p90": lower(connect.p90, "µs"),
    "directly p50": lower(connectDirectly.p50, "µs"),
    connections: higher(connect.perSecond, "op/s"),
    ...(connect.refused > 0 && { "not connected": lower(connect.refused, "of 2000") }),
    "directly, connections": higher(connectDirectly.perSecond, "op/s"),
  };
}
