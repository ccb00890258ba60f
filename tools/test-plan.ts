// Which tests with real parts may run side by side. They wait most of their time, and each has namespaces,
// ports, names and folders of its own, so several run at once; those listed here need more of the machine.

import { globSync } from "node:fs";
import { availableParallelism } from "node:os";

export interface PlannedFile {
  readonly file: string;
  /** The number of slots that it takes, of those that the machine has. */
  readonly slots: number;
}

/** The number of slots of this machine: one more than processors, since tests wait. */
export const allSlots = Math.min(6, availableParallelism() + 1);

/** The number of files beyond the slots that may run while processors have nothing to do. */
const extraFiles = 2;
/** The share of all processors that is idle before an extra file begins: about what one file takes. */
const idleEnough = 0.35;
/** The time that a file that has begun gets to show what it takes, before an extra one begins. */
const settlingMs = 8_000;

/** Files that run while no other does, and why. */
const alone: Readonly<Record<string, string>> = {
  "test/e2e/up-host-access.test.ts":
    "adds routes and links to the machine's own network, which up-lifecycle and up-rootless compare",
  "test/security/stall.test.ts": "measures how long one thread of the server works at a stretch",
};

/** Files that run beside at most one other on two processors, and why. */
const calm: Readonly<Record<string, string>> = {
  "test/e2e/up-vips-changed.test.ts": "three control planes",
  "test/e2e/examples-vips.test.ts": "three control planes",
  "test/e2e/up-control-planes.test.ts": "three control planes",
  "test/fault/control-plane.test.ts": "three control planes under load",
  "test/e2e/machines-ha.test.ts": "three control planes on machines under load",
  "test/e2e/vip-failover.test.ts": "virtual addresses move when their holder is slow",
  "test/e2e/vip-nodes.test.ts": "virtual addresses move when their holder is slow",
  "test/e2e/vip-second-pair.test.ts": "virtual addresses move when their holder is slow",
  "test/e2e/ingress-changes.test.ts": "sends 1,000 requests a second and allows no failure",
  "test/e2e/balancer-failover.test.ts": "announcers hand over within seconds",
  "test/e2e/balancer-outage.test.ts": "announcers hand over within seconds",
  "test/fault/policy.test.ts": "sends 1,000 packets a second",
};

/** Files of half a minute and more, the longest first: begun last, one of them alone would be waited for. */
const long: readonly string[] = [
  "test/security/fuzz.test.ts",
  "test/e2e/check-faults.test.ts",
  "test/e2e/up-connectivity.test.ts",
  "test/e2e/proxy/trace-pairs.test.ts",
  "test/e2e/examples.test.ts",
  "test/e2e/machines.test.ts",
  "test/e2e/dashboard.test.ts",
  "test/e2e/deploy.test.ts",
  "test/compat/kubectl-objects.test.ts",
  "test/e2e/up-killed.test.ts",
  "test/e2e/check-cut.test.ts",
  "test/e2e/up-resume.test.ts",
  "test/e2e/up-lifecycle.test.ts",
  "test/fault/ipam-storm.test.ts",
  "test/e2e/proxy/iptables-nft.test.ts",
  "test/e2e/policy-ways.test.ts",
  "test/e2e/up-churn.test.ts",
  "test/e2e/proxy/trace.test.ts",
  "test/e2e/proxy/trace-cluster.test.ts",
  "test/e2e/proxy/iptables-legacy.test.ts",
  "test/e2e/up.test.ts",
  "test/e2e/proxy/nftables.test.ts",
  "test/e2e/policy-fronts.test.ts",
  "test/e2e/up-rootless.test.ts",
  "test/compat/kubectl-output.test.ts",
  "test/compat/client-informer.test.ts",
  "test/fault/ipam-daemon-storm.test.ts",
  "test/fault/controllers-rollout.test.ts",
  "test/compat/rollout.test.ts",
  "test/compat/store-etcd.test.ts",
  "test/e2e/agent-network.test.ts",
  "test/e2e/up-connectivity-one-family.test.ts",
  "test/e2e/up-control-planes-limits.test.ts",
  "test/e2e/ingress-control-planes.test.ts",
  "test/fault/store-etcd.test.ts",
  "test/e2e/ingress-https.test.ts",
  "test/compat/openapi.test.ts",
];

/** Files of `make soak` alone, and why. */
const soakOnly: Readonly<Record<string, string>> = {
  "test/fault/random-kills.test.ts":
    "draws its kills anew each time, so it may find what is not mended yet",
  "test/e2e/machines-ha.test.ts":
    "three machines with servers that are lost, upgraded and installed anew: four minutes on two busy processors",
};

/** Returns the files in the order to begin them: first those that need much, then long ones, then all others. */
export function planTests(patterns: readonly string[]): readonly PlannedFile[] {
  const isSoak = process.env["TANDEM_SOAK"] === "1";
  const files = globSync([...patterns])
    .filter((file) => isSoak || !(file in soakOnly) || patterns.includes(file))
    .toSorted();
  const order = [...Object.keys(alone), ...Object.keys(calm), ...long];
  const missing = order.filter((file) => globSync(file).length === 0);
  if (missing.length > 0) throw new Error(`Cannot plan tests: there is no ${missing.join(", ")}`);
  const rank = (file: string) => (order.includes(file) ? order.indexOf(file) : order.length);
  return files
    .toSorted((a, b) => rank(a) - rank(b))
    .map((file) => ({ file, slots: slotsOf(file) }));
}

export interface PoolState {
  readonly running: readonly PlannedFile[];
  /** The share of all processors that was idle lately. */
  readonly idle: number;
  /** The time since a file began. */
  readonly sinceStartMs: number;
}

/**
 * Returns the file to begin next, if any: the first one that fits into the free slots. When all slots are taken, but
 * processors are idle because the files that run wait, one more that takes a single slot; never beside a file
 * that asks for calm.
 */
export function nextFile(
  waiting: readonly PlannedFile[],
  { running, idle, sinceStartMs }: PoolState,
): PlannedFile | undefined {
  const taken = running.reduce((sum, { slots }) => sum + slots, 0);
  const fitting = waiting.find(({ slots }) => slots <= allSlots - taken);
  if (fitting !== undefined) return fitting;
  const isCalmWanted = running.some(({ slots }) => slots > 1);
  const isIdle = idle >= idleEnough && sinceStartMs >= settlingMs;
  if (isCalmWanted || !isIdle || running.length >= allSlots + extraFiles) return undefined;
  return waiting.find(({ slots }) => slots === 1);
}

function slotsOf(file: string): number {
  if (file in alone) return allSlots;
  return file in calm ? Math.max(1, allSlots - 1) : 1;
}
