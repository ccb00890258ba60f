// Pods of three namespaces on two nodes, and every connection that they may try with each other.

import assert from "node:assert/strict";
import { Address } from "../../src/base/net/address.ts";
import { type Family, families } from "../../src/base/net/family.ts";
import {
  isAllowed,
  type OracleCluster,
  type OraclePod,
} from "../../src/node/policy/plan/testing/oracle.ts";
import type { TestCluster } from "./cluster.fixture.ts";
import type { ProbeRow } from "./policy-prober.ts";

const prober = new URL("policy-prober.ts", import.meta.url).pathname;
const holder = new URL("policy-holder.ts", import.meta.url).pathname;
export const node = new URL("../../node_modules/.bin/node", import.meta.url).pathname;

const places = [
  { namespace: "x", name: "a", node: "node-1", labels: { app: "a", tier: "front" } },
  { namespace: "x", name: "b", node: "node-2", labels: { app: "b", tier: "back" } },
  { namespace: "x", name: "c", node: "node-1", labels: { app: "c", tier: "back" } },
  { namespace: "y", name: "a", node: "node-1", labels: { app: "a", tier: "front" } },
  { namespace: "y", name: "b", node: "node-2", labels: { app: "b", tier: "back" } },
] as const;

/** The ports that pods serve: the same program twice, so that ports can be told apart. */
const served = [
  { port: 8080, protocol: "tcp" },
  { port: 8081, protocol: "tcp" },
  { port: 8080, protocol: "udp" },
] as const;

export interface ServedPod extends OraclePod {
  readonly node: string;
}

export interface Row {
  readonly from: ServedPod;
  readonly to: ServedPod;
  readonly family: Family;
  readonly probe: ProbeRow;
}

export const namespaces = new Map(
  ["x", "y"].map((name) => [name, { ns: name, "kubernetes.io/metadata.name": name }]),
);

/** Starts the pods; resolves when all of them answer probes of their node. */
export async function startPods(cluster: TestCluster): Promise<readonly ServedPod[]> {
  const { kubectl } = cluster;
  const objects = [
    ...[...namespaces].map(([name, labels]) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels },
    })),
    ...places.map((place) => podObject(place)),
  ];
  await applyAll(cluster, objects);
  return cluster.until("all pods are ready", async () => {
    const text = await kubectl.run("get", "pods", "-A", "-o", "json");
    const { items } = JSON.parse(text) as { items: readonly WrittenPod[] };
    const found = places.flatMap((place) => {
      const pod = items.find(
        ({ metadata }) => metadata.name === place.name && metadata.namespace === place.namespace,
      );
      const isReady = pod?.status.conditions?.some(
        ({ type, status }) => type === "Ready" && status === "True",
      );
      if (pod === undefined || isReady !== true) return [];
      const addresses = (pod.status.podIPs ?? []).map(({ ip }) => ip);
      return [{ ...place, addresses, ports: named }];
    });
    return found.length === places.length ? found : undefined;
  });
}

interface Written {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Applies objects, one namespace at a time since kubectl takes no more, cluster-scoped ones first. */
export async function applyAll(cluster: TestCluster, objects: readonly Written[]): Promise<void> {
  const groups = Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? "default");
  for (const [namespace, items] of groups) {
    const list = { apiVersion: "v1", kind: "List", items };
    await cluster.kubectl.pipe(list, "apply", "-n", namespace, "-f", "-");
  }
}

interface WrittenPod {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly status: {
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const named = [
  { name: "web", protocol: "TCP", port: 8080 },
  { name: "alt", protocol: "TCP", port: 8081 },
];

function podObject({ namespace, name, node: nodeName, labels }: (typeof places)[number]) {
  const container = (port: number, portName: string) => ({
    name: portName,
    image: "tandem.internal/echo",
    args: ["serve", `--http-port=${port}`, `--udp-port=${port}`],
    ports: [{ name: portName, containerPort: port }],
    readinessProbe: { httpGet: { path: "/healthz", port }, periodSeconds: 1 },
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, labels },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 0,
      containers: [container(8080, "web"), container(8081, "alt")],
    },
  };
}

/**
 * Returns the rows of the matrix: every pod to every other, on every port that it serves, in both
 * families.
 */
export function allRows(pods: readonly ServedPod[]): readonly Row[] {
  return families.flatMap((family) =>
    pods.flatMap((from) =>
      pods.flatMap((to) =>
        from === to
          ? []
          : served.map((one) => ({
              from,
              to,
              family,
              probe: { ...one, address: addressOf(to, family) },
            })),
      ),
    ),
  );
}

export function addressOf({ addresses }: OraclePod, family: Family): string {
  const found = addresses.find((text) => Address.parse(text).family === family);
  if (found === undefined) throw new Error(`Cannot ask a pod: it has no ${family} address`);
  return found;
}

/** Whether a row is allowed, by the API's own definition of policies. */
export function isRowAllowed(cluster: OracleCluster, { from, to, family, probe }: Row): boolean {
  const common = { protocol: probe.protocol === "tcp" ? "TCP" : "UDP", port: probe.port } as const;
  const [source, target] = [addressOf(from, family), addressOf(to, family)];
  return (
    isAllowed(cluster, { direction: "egress", subject: from, peer: target, ...common }) &&
    isAllowed(cluster, { direction: "ingress", subject: to, peer: source, ...common })
  );
}

/** Tries the rows all at once, by one process in each pod; returns which connections succeed. */
export async function tryRows(
  cluster: TestCluster,
  rows: readonly Row[],
): Promise<readonly boolean[]> {
  const bySource = Map.groupBy(rows, ({ from }) => from);
  const answers = new Map<Row, boolean>();
  await Promise.all(
    [...bySource].map(async ([{ namespace, name }, own]) => {
      const probes = own.map(({ probe }) => probe);
      const found = await tryFrom(cluster, `${namespace}/${name}`, probes);
      for (const [index, row] of own.entries()) answers.set(row, found[index] === true);
    }),
  );
  return rows.map((row) => answers.get(row) === true);
}

/** Tries connections from a pod, a node, or outside; returns which succeed. */
export async function tryFrom(
  cluster: TestCluster,
  place: string,
  probes: readonly ProbeRow[],
): Promise<readonly boolean[]> {
  const stdin = JSON.stringify(probes);
  const { stdout } = await cluster.in(place).run([node, prober], { stdin });
  return JSON.parse(stdout) as readonly boolean[];
}

/** Keeps a connection busy; its lines tell of answers, and of its end. */
export async function hold(cluster: TestCluster, from: string, address: string) {
  const lines: string[] = [];
  const running = await cluster
    .in(from)
    .start([node, holder, address, "8080"], { onLine: (line) => lines.push(line) });
  return { lines, stop: () => running.stop() };
}

/** Sends a router advertisement to each of the addresses, as the router of hosts on a link does. */
export async function advertise(
  cluster: TestCluster,
  place: string,
  addresses: readonly string[],
): Promise<void> {
  const message =
    "\\206\\000\\000\\000\\100\\000\\007\\010\\000\\000\\000\\000\\000\\000\\000\\000";
  // Hop limits of 255, as receivers ask for, and no copy for the sender itself: IPV6_UNICAST_HOPS,
  // IPV6_MULTICAST_HOPS, IPV6_MULTICAST_LOOP.
  const options = ["16:255", "18:255", "19:0"].map((one) => `,sockopt-int=41:${one}`).join("");
  for (const address of addresses) {
    const send = `printf '${message}' | socat -u - 'IP6-SENDTO:${address}:58${options}'`;
    await cluster.in(place).run(["sh", "-c", send]);
  }
}

export function rowText({ from, to, probe }: Row): string {
  return `${from.namespace}/${from.name} to ${to.namespace}/${to.name} ${probe.address} ${probe.port}/${probe.protocol}`;
}

/** Finds a pod by "namespace/name". */
export function podNamed(pods: readonly ServedPod[], key: string): ServedPod {
  const found = pods.find(({ namespace, name }) => `${namespace}/${name}` === key);
  assert.ok(found !== undefined, key);
  return found;
}

/** Makes these the only policies of the namespace x. */
export async function useOnly(cluster: TestCluster, policies: readonly Written[]): Promise<void> {
  await cluster.kubectl.run("delete", "networkpolicies", "--all", "-n", "x");
  await applyAll(cluster, policies);
}
