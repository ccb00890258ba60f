import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Access, staticCredentials } from "../../api/client/access.ts";
import { connect } from "../../api/client/connect.ts";
import { Informer } from "../../api/client/informer.ts";
import type { ApiObject } from "../../api/client/objects.ts";
import type { Pod } from "../../api/types/core.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { createLog } from "../../base/program/log.ts";
import { startServer, type TestServer } from "../../control/apiserver/testing/start.ts";
import { runControllers } from "../../control/controllers/run.ts";
import { scheduling } from "../../control/controllers/scheduler/controller.ts";
import { runHollow } from "./hollow.ts";
import type { HollowSettings } from "./settings.ts";

const parts = { clock: systemClock, random: systemRandom };
const log = createLog({
  write: (line) => process.stderr.write(line),
  format: "text",
  level: "warn",
});

test("8 hollow nodes take 40 pods, which become Ready and are deleted", async () => {
  await using scope = new AsyncDisposableStack();
  const server = scope.use(await startServer());
  const directory = await mkdtemp(join(tmpdir(), "hollow-"));
  scope.defer(() => rm(directory, { recursive: true }));
  const access = accessTo(server);
  const client = connect(access, { ...parts, component: "test" });
  scope.defer(() => client.transport.close());
  const pods = client.resource("v1", "Pod");
  const nodes = client.resource("v1", "Node");
  const stop = new AbortController();
  const seen = new Map<string, Set<string>>();
  const settings = settingsOf({ kubeconfig: await kubeconfigOf(server, directory), directory });
  const informer = new Informer(pods, {}, { ...parts, log });
  const nodeInformer = new Informer(nodes, {}, { ...parts, log });
  const running = Promise.all([
    runHollow(settings, stop.signal, ({ kind, metadata: { name } }, node) => {
      const key = `${kind}/${name}`;
      seen.set(key, (seen.get(key) ?? new Set()).add(node));
    }),
    runControllers([scheduling], { ...parts, client, log }, stop.signal),
    informer.run(stop.signal),
    nodeInformer.run(stop.signal),
  ]);
  running.catch(() => stop.abort());
  scope.defer(async () => {
    stop.abort();
    await running;
  });
  await client.resource("v1", "ConfigMap").create({
    metadata: { namespace: "default", name: "settings" },
    data: { key: "value" },
  });
  await until(nodeInformer, (all) => all.filter(isReady).length === settings.nodes);
  await Promise.all(Array.from({ length: 40 }, (_, n) => pods.create(draftOf(n))));
  const ready = await until(informer, (all) => all.filter(isReady).length === 40 && all);

  const byNode = Map.groupBy(ready, ({ spec }) => spec.nodeName ?? "");
  assert.equal(byNode.size, settings.nodes);
  const addresses = ready.flatMap(({ status }) => (status?.podIPs ?? []).map(({ ip }) => ip));
  assert.equal(new Set(addresses).size, 80);
  for (const pod of ready) checkPod(pod);
  const [node] = nodeInformer.list();
  assert.equal(node?.metadata.labels?.["tandem.internal/hollow"], "true");
  assert.equal(node?.status?.capacity?.["cpu"], "8");
  assert.match(node?.status?.nodeInfo?.containerRuntimeVersion ?? "", /^hollow:/);
  const leases = client.resource("coordination.k8s.io/v1", "Lease");
  await waitFor(async () => (await leases.listAll()).items.length === settings.nodes);
  await client.resource("v1", "Service").create({
    metadata: { namespace: "default", name: "web" },
    spec: { ports: [{ port: 80 }] },
  });
  await waitFor(() => (seen.get("Service/web")?.size ?? 0) === settings.nodes);

  await pods.deleteCollection({ namespace: "default" }, {});
  await until(informer, (all) => all.length === 0);
});

function checkPod({ metadata: { name }, spec, status }: Pod): void {
  assert.equal(status?.phase, "Running", name);
  assert.match(status?.hostIP ?? "", /^198\.18\.0\.\d+$/);
  const [container] = status?.containerStatuses ?? [];
  assert.equal(container?.ready, true);
  assert.equal(container?.restartCount, 0);
  assert.ok(container?.state?.running?.startedAt !== undefined);
  if (spec.initContainers === undefined) return;
  assert.equal(status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 0);
}

/** A pod whose probe nobody would answer, with a volume of the API and one of the host. */
function draftOf(n: number) {
  const mounts = [{ name: "settings", mountPath: "/settings" }];
  const probe = { httpGet: { path: "/", port: 80 }, periodSeconds: 1 };
  const main = { name: "main", image: "registry/app:1", volumeMounts: mounts };
  return {
    metadata: { namespace: "default", name: `pod-${n}` },
    spec: {
      automountServiceAccountToken: false,
      containers: [{ ...main, readinessProbe: probe }],
      ...(n % 10 === 0 && { initContainers: [{ name: "first", image: "registry/init:1" }] }),
      volumes: [
        { name: "settings", configMap: { name: "settings" } },
        { name: "host", hostPath: { path: "/nonexistent/hollow", type: "Directory" as const } },
        { name: "memory", emptyDir: { medium: "Memory" } },
      ],
    },
  };
}

function settingsOf({ kubeconfig, directory }: { kubeconfig: string; directory: string }) {
  return {
    nodes: 8,
    nodePrefix: "hollow",
    first: 0,
    seed: 1,
    readyAfter: { from: 10, to: 100 },
    startRate: 1_000,
    watches: ["routes", "proxy"],
    kubeconfig,
    join: false,
    dataDir: directory,
    nodeLabels: [],
    registerWithTaints: [],
    nodeCidr: [Prefix.parse("198.18.0.0/15"), Prefix.parse("2001:2::/48")],
    podCidr: [Prefix.parse("10.128.0.0/16"), Prefix.parse("fd00:128::/48")],
    cpus: 8,
    memoryGib: 32,
    maxPods: 110,
    log,
    env: {},
  } satisfies HollowSettings;
}

function accessTo(server: TestServer): Access {
  return {
    server: new URL(server.url),
    authorities: server.authority,
    credentials: staticCredentials(server.client),
    namespace: "default",
  };
}

async function kubeconfigOf({ url, authority, client }: TestServer, directory: string) {
  const inBase64 = (text: string) => Buffer.from(text).toString("base64");
  const user = {
    "client-certificate-data": inBase64(client.certificate),
    "client-key-data": inBase64(client.key),
  };
  const cluster = { server: url, "certificate-authority-data": inBase64(authority) };
  const path = join(directory, "kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user }],
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}

function isReady({ status }: Conditioned): boolean {
  return (status?.conditions ?? []).some((each) => each.type === "Ready" && each.status === "True");
}

/** Resolves to what the predicate returns, as soon as that is something. */
async function until<T extends ApiObject, R>(
  informer: Informer<T>,
  look: (all: T[]) => R | false,
): Promise<R> {
  const { promise, resolve } = Promise.withResolvers<R>();
  const check = (): void => {
    const found = look([...informer.list()]);
    if (found !== false) resolve(found);
  };
  const leave = informer.subscribe(check);
  check();
  try {
    return await promise;
  } finally {
    leave();
  }
}

async function waitFor(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.sleep(10);
}
