// The API server on both stores, and genuine kube-apiserver on etcd under the same load.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { Connection, type Target } from "./apiserver/connection.ts";
import { configMap, pod, service } from "./apiserver/objects.ts";
import { residentBytes, type Start, type Subject, subjects } from "./apiserver/subjects.ts";
import { type Benchmark, type Case, distribution, type Group, load, lower } from "./harness.ts";

const baseline = "kube-apiserver";
const configMaps = "/api/v1/namespaces/default/configmaps";
const serviceList = "/api/v1/namespaces/default/services";
const pods = "/api/v1/namespaces/bench/pods";

export default {
  title: "API server",
  groups(scope) {
    const shared = new Map<string, Promise<Subject>>();
    const sharedSubject = async (name: string, start: Start): Promise<Subject> => {
      const known = shared.get(name) ?? start().then((subject) => scope.use(subject));
      shared.set(name, known);
      return await known;
    };
    const group = (
      name: string,
      make: (subject: Subject, own: AsyncDisposableStack) => ReturnType<Case>,
    ): Group => ({
      name,
      baseline,
      cases: Object.fromEntries(
        Object.entries(subjects).map(([subject, start]) => [
          subject,
          async (own) => await make(await sharedSubject(subject, start), own),
        ]),
      ),
    });
    return [
      {
        name: "start until ready, and memory then",
        baseline,
        cases: Object.fromEntries(
          Object.entries(subjects).map(([name, start]) => [
            name,
            () => async () => {
              await using subject = await start();
              const [server = 0] = subject.pids;
              return {
                ready: lower(subject.startMs, "ms"),
                memory: lower(await residentBytes([server]), "bytes"),
              };
            },
          ]),
        ),
      },
      group("create ConfigMap of 1 kB, 1 connection", (subject, own) =>
        create(subject, own, {
          path: configMaps,
          body: configMap,
          operations: 500,
          concurrency: 1,
        }),
      ),
      group("create ConfigMap of 1 kB, 32 connections", (subject, own) =>
        create(subject, own, {
          path: configMaps,
          body: configMap,
          operations: 4_000,
          concurrency: 32,
        }),
      ),
      group("get ConfigMap, 1 connection", (subject, own) => get(subject, own, 1)),
      group("get ConfigMap, 32 connections", (subject, own) => get(subject, own, 32)),
      group("create Service, 32 connections", (subject, own) =>
        create(subject, own, {
          path: serviceList,
          body: service,
          operations: 250,
          concurrency: 32,
        }),
      ),
      group("create Service among 5,000, 32 connections", async (subject, own) => {
        const creation = { path: serviceList, body: service, concurrency: 32 };
        await (await create(subject, own, { ...creation, operations: 4_000 }))();
        return create(subject, own, { ...creation, operations: 500 });
      }),
      group("list 5,000 pods", listPods),
      group("create to watch event, 1 watcher", (subject, own) => watchLatency(subject, own, 1)),
      group("create to watch event, 200 watchers", (subject, own) =>
        watchLatency(subject, own, 200),
      ),
      memoryGroup("10,000", 10_000),
      memoryGroup("150,000", 150_000),
    ];
  },
} satisfies Benchmark;

/** Servers of their own, with nothing but these objects, after the load is over. */
function memoryGroup(words: string, operations: number): Group {
  const fill = (start: Start): Case => {
    return async (own) => {
      const subject = own.use(await start());
      const filling = { path: configMaps, body: configMap, operations, concurrency: 32 };
      await (await create(subject, own, filling))();
      await sleep(10_000);
      return async () => ({
        server: lower(await residentBytes(subject.pids.slice(0, 1)), "bytes"),
        withStore: lower(await residentBytes(subject.pids), "bytes"),
      });
    };
  };
  return {
    name: `memory with ${words} ConfigMaps of 1 kB`,
    baseline,
    cases: Object.fromEntries(Object.entries(subjects).map(([name, start]) => [name, fill(start)])),
  };
}

interface Creation {
  readonly path: string;
  readonly body: (n: number, tag: string) => string;
  readonly operations: number;
  readonly concurrency: number;
}

async function create(target: Target, own: AsyncDisposableStack, creation: Creation) {
  const { path, body, operations, concurrency } = creation;
  const connections = await open(target, own, concurrency);
  const tag = uniqueTag();
  return load({ operations, concurrency }, async (n) => {
    await withConnection(connections, (connection) =>
      expect(connection, "POST", path, body(n, tag)),
    );
  });
}

async function get(target: Target, own: AsyncDisposableStack, concurrency: number) {
  const connections = await open(target, own, concurrency);
  const tag = uniqueTag();
  await withConnection(connections, (connection) =>
    expect(connection, "POST", configMaps, configMap(0, tag)),
  );
  return load({ operations: concurrency === 1 ? 1_000 : 8_000, concurrency }, async () => {
    await withConnection(connections, (connection) =>
      expect(connection, "GET", `${configMaps}/${tag}-0`),
    );
  });
}

async function listPods(target: Target, own: AsyncDisposableStack) {
  const connections = await open(target, own, 32);
  const [first] = connections;
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "bench" } };
  await first?.request("POST", "/api/v1/namespaces", JSON.stringify(namespace));
  const tag = uniqueTag();
  await load({ operations: 5_000, concurrency: 32 }, async (n) => {
    await withConnection(connections, (connection) =>
      expect(connection, "POST", pods, pod(n, tag)),
    );
  })();
  return async () => {
    const started = performance.now();
    const size = await withConnection(connections, (connection) => expect(connection, "GET", pods));
    return { time: lower(performance.now() - started, "ms"), size: lower(size, "bytes") };
  };
}

/** From sending a create until the watchers have it: any of them, and the last of them. */
async function watchLatency(target: Target, own: AsyncDisposableStack, watchers: number) {
  const [connection] = await open(target, own, 1);
  if (connection === undefined) throw new Error("no connection");
  const tag = uniqueTag();
  const { body } = await connection.request("GET", `${configMaps}?limit=1`);
  const from = /"resourceVersion":"(\d+)"/.exec(body.toString())?.[1] ?? "0";
  const watching = await Promise.all(
    Array.from({ length: watchers }, () => watch(target, own, from)),
  );
  let serial = 0;
  return async () => {
    const all: number[] = [];
    const last: number[] = [];
    for (let n = 0; n < 50; n += 1) {
      const name = `${tag}-${serial}`;
      const arrivals = watching.map((watcher) => watcher.see(name));
      const started = performance.now();
      await expect(connection, "POST", configMaps, configMap(serial++, tag));
      const times = (await Promise.all(arrivals)).map((at) => at - started);
      all.push(...times);
      last.push(Math.max(...times));
    }
    const { p50: lastP50, p99: lastP99 } = distribution(last);
    return watchers === 1
      ? distribution(all)
      : { ...distribution(all), ...(lastP50 && lastP99 ? { lastP50, lastP99 } : {}) };
  };
}

async function watch(target: Target, own: AsyncDisposableStack, from: string) {
  const socket = connect({
    ...target.tls,
    host: "127.0.0.1",
    port: target.port,
    servername: "localhost",
    ALPNProtocols: ["http/1.1"],
  });
  own.defer(() => {
    socket.destroy();
  });
  await once(socket, "secureConnect");
  const token = target.token === undefined ? "" : `Authorization: Bearer ${target.token}\r\n`;
  const path = `${configMaps}?watch=true&resourceVersion=${from}&timeoutSeconds=3000`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${token}\r\n`);
  const waiting = new Map<string, (at: number) => void>();
  let rest = "";
  socket.on("data", (chunk: Buffer) => {
    if (waiting.size === 0) return;
    rest += chunk.toString("latin1");
    const at = performance.now();
    for (const [name, resolve] of waiting) {
      if (!rest.includes(`"name":"${name}"`)) continue;
      waiting.delete(name);
      rest = "";
      resolve(at);
    }
  });
  await once(socket, "data");
  return {
    see: (name: string): Promise<number> =>
      new Promise((resolve) => {
        waiting.set(name, resolve);
      }),
  };
}

async function open(
  target: Target,
  own: AsyncDisposableStack,
  count: number,
): Promise<Connection[]> {
  const opened = await Promise.all(Array.from({ length: count }, () => Connection.open(target)));
  for (const connection of opened) own.use(connection);
  return opened;
}

/** Connections are a stack: each worker takes one and puts it back. */
async function withConnection<T>(
  connections: Connection[],
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = connections.pop();
  if (connection === undefined) throw new Error("more workers than connections");
  try {
    return await use(connection);
  } finally {
    connections.push(connection);
  }
}

async function expect(
  connection: Connection,
  method: string,
  path: string,
  body = "",
): Promise<number> {
  const reply = await connection.request(method, path, body);
  if (reply.code !== 200 && reply.code !== 201) {
    throw new Error(`${method} ${path} answered ${reply.code}: ${reply.body.toString()}`);
  }
  return reply.body.length;
}

let tags = 0;
function uniqueTag(): string {
  tags += 1;
  return `b${process.pid}-${tags}`;
}
