// From a pod that becomes ready to its endpoints, at several sizes of the cluster: what one change costs
// must not follow how many services there are. Server and controllers are processes of their own.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectByKubeconfig } from "../examples/connect.ts";
import type { Client } from "../src/api/client/client.ts";
import { objectsOf, podAddresses, podName, type Size, serviceName } from "./controllers/cluster.ts";
import type { Costs } from "./controllers/subject.ts";
import { startFilledServer } from "./filled-server.ts";
import { type Benchmark, distribution, lower, type Measure } from "./harness.ts";

const podsPerService = 10;
const changes = 100;
const subject = join(import.meta.dirname, "controllers/subject.ts");

export default {
  title: "endpoints of pods that become ready",
  groups: () => [
    {
      name: `${changes} pods in turn, ${podsPerService} per service`,
      baseline: "100 services",
      cases: Object.fromEntries(
        [100, 1000, 5000].map((services) => [
          `${services} services`,
          (scope) => prepare(scope, { services, podsPerService }),
        ]),
      ),
    },
  ],
} satisfies Benchmark;

type Scope = AsyncDisposableStack;

async function prepare(scope: Scope, size: Size): Promise<Measure> {
  const kubeconfig = await startFilledServer(scope, objectsOf(size));
  const { client } = await connectByKubeconfig("bench", kubeconfig);
  scope.defer(() => client.transport.close());
  const costs = await startControllers(scope, kubeconfig);
  await everythingWritten(client, size);
  const watched = await watchAddresses(scope, client);
  let next = 0;
  return async () => {
    const before = await costs();
    const latencies: number[] = [];
    for (let change = 0; change < changes; change++) {
      // Far apart, so that no service is met twice in a row.
      const service = (next++ * 7919) % size.services;
      await setReady(client, service, false);
      await watched.until(service, size, false);
      const started = performance.now();
      await setReady(client, service, true);
      await watched.until(service, size, true);
      latencies.push(performance.now() - started);
    }
    const after = await costs();
    return {
      ...distribution(latencies),
      writes: lower((after.writes - before.writes) / (2 * changes), "per change"),
      cpu: lower((after.cpu - before.cpu) / (2 * changes), "ms"),
      memory: lower(after.rss, "bytes"),
    };
  };
}

async function startControllers(scope: Scope, kubeconfig: string): Promise<() => Promise<Costs>> {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = fork(subject, [kubeconfig], { env, execArgv: ["--max-semi-space-size=8"] });
  scope.defer(async () => {
    const exited = once(child, "exit");
    child.disconnect();
    await exited;
  });
  return async () => {
    const answer = once(child, "message");
    child.send("costs");
    const [costs] = (await answer) as [Costs];
    return costs;
  };
}

/** Until there are Endpoints with addresses and a slice of each family for every service. */
async function everythingWritten(client: Client, { services }: Size): Promise<void> {
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  for (;;) {
    const { items } = await client.metadata(slices.definition).listAll({ namespace: "default" });
    if (items.length >= 2 * services) return;
    await sleep(250);
  }
}

async function setReady(client: Client, service: number, isReady: boolean): Promise<void> {
  const place = { namespace: "default", name: podName(service, 0) };
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  const strategic = { status: { conditions } };
  await client.resource("v1", "Pod").patchStatus(place, { strategic });
}

/** Follows what is ready in Endpoints and in slices. */
async function watchAddresses(scope: Scope, client: Client) {
  const stop = new AbortController();
  const ready = new Map<string, ReadonlySet<string>>();
  let changed = Promise.withResolvers<void>();
  const note = (key: string, addresses: readonly string[]) => {
    ready.set(key, new Set(addresses));
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const options = { namespace: "default", signal: stop.signal };
  const endpoints = client.resource("v1", "Endpoints");
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const following = Promise.allSettled([
    (async () => {
      for await (const event of await endpoints.watch(options)) {
        if (event.type === "BOOKMARK") continue;
        const { metadata, subsets = [] } = event.object;
        const all = subsets.flatMap(({ addresses = [] }) =>
          addresses.flatMap(({ ips = [] }) => ips),
        );
        note(metadata.name, all);
      }
    })(),
    (async () => {
      for await (const event of await slices.watch(options)) {
        if (event.type === "BOOKMARK") continue;
        const { metadata, addressType, endpoints: all = [] } = event.object;
        const service = metadata.labels?.["kubernetes.io/service-name"];
        const live = all.filter(({ conditions }) => conditions?.ready === true);
        note(
          `${service} ${addressType}`,
          live.flatMap(({ addresses }) => addresses),
        );
      }
    })(),
  ]);
  scope.defer(async () => {
    stop.abort();
    await following;
  });
  return {
    async until(service: number, size: Size, isReady: boolean): Promise<void> {
      const [v4 = "", v6 = ""] = podAddresses(service, 0, size.podsPerService);
      const name = serviceName(service);
      const wanted = [
        [name, v4],
        [name, v6],
        [`${name} IPv4`, v4],
        [`${name} IPv6`, v6],
      ] as const;
      const isSo = () => wanted.every(([key, ip]) => ready.get(key)?.has(ip) === isReady);
      while (!isSo()) await changed.promise;
    },
  };
}
