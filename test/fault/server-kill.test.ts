// The server is killed again and again under clients that write without pause.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEtcd } from "../fixtures/etcd.ts";
import { TestServer } from "../fixtures/server.ts";

const kills = process.env.TANDEM_SOAK === "1" ? 100 : 10;
const writers = 8;
/** To bound a hang, nothing else. */
const patience = 60_000;
const path = "/api/v1/namespaces/default/configmaps";

/** Name → the resourceVersion that was acknowledged. */
type Acknowledged = Map<string, number>;

for (const store of ["embedded", "etcd"] as const) {
  test(`[API-2, API-5] ${kills} kills on ${store}: every acknowledged write is there, watchers see each change once`, async () => {
    await using scope = new AsyncDisposableStack();
    const etcd = store === "etcd" ? scope.use(await startEtcd()) : undefined;
    const place = etcd?.storeUrl("/kill");
    const server = scope.use(await TestServer.start(place === undefined ? {} : { store: place }));
    await killUnderLoad(server);
  });
}

async function killUnderLoad(server: TestServer): Promise<void> {
  const stop = new AbortController();
  const acknowledged: Acknowledged = new Map();
  const seen: number[] = [];
  // What is there when a watch without a version begins comes by name: this one begins before the writers.
  const { body: empty } = await server.call("GET", path);
  const watching = watch(server, seen, Number(empty.metadata?.resourceVersion));
  const writing = Array.from({ length: writers }, (_, writer) =>
    write(server, writer, { acknowledged, signal: stop.signal }),
  );

  for (let round = 0; round < kills; round += 1) {
    const before = acknowledged.size;
    // A kill counts only when it hits a server that is at work.
    await reached(acknowledged, before + 20);
    await sleep(Math.random() * 30);
    await server.kill();
    await server.launch();
  }
  const settled = acknowledged.size;
  await reached(acknowledged, settled + writers);
  stop.abort();
  await Promise.all(writing);

  const { body } = await server.call("GET", `${path}?labelSelector=test%3Dkill`);
  const stored = new Map(
    (body.items ?? []).map(({ metadata }) => [
      metadata?.name ?? "",
      Number(metadata?.resourceVersion),
    ]),
  );
  const lost = [...acknowledged].filter(([name, revision]) => stored.get(name) !== revision);
  assert.deepEqual(lost, []);

  // The watcher may still have some of the last changes to come.
  const newest = Math.max(...stored.values());
  const deadline = Date.now() + patience;
  while (!seen.includes(newest) && Date.now() < deadline) await sleep(10);
  await watching.end();
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
    "in order",
  );
  assert.equal(new Set(seen).size, seen.length, "none twice");
  const missed = [...stored.values()].filter((revision) => !seen.includes(revision));
  assert.deepEqual(missed, []);
}

async function reached(acknowledged: Acknowledged, count: number): Promise<void> {
  const deadline = Date.now() + patience;
  while (acknowledged.size < count) {
    assert.ok(Date.now() < deadline, "nothing is acknowledged any more");
    await sleep(5);
  }
}

async function write(
  server: TestServer,
  writer: number,
  { acknowledged, signal }: { acknowledged: Acknowledged; signal: AbortSignal },
): Promise<void> {
  for (let serial = 0; !signal.aborted; serial += 1) {
    const name = `w${writer}-${serial}`;
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, labels: { test: "kill" } },
      data: { filler: "x".repeat(1000) },
    };
    try {
      const { code, body } = await server.call("POST", path, object);
      if (code === 201) acknowledged.set(name, Number(body.metadata?.resourceVersion));
      else assert.ok([409, 429, 500, 503, 504].includes(code), `${code} ${body.message}`);
    } catch (error) {
      assertConnectionLost(error);
      await sleep(10);
    }
  }
}

/** Resumes from the last revision it saw, as every watcher does. */
function watch(server: TestServer, seen: number[], from: number): { end(): Promise<void> } {
  const over = new AbortController();
  const run = async (): Promise<void> => {
    let last = from;
    while (!over.signal.aborted) {
      try {
        const query = `watch=true&labelSelector=test%3Dkill&resourceVersion=${last}`;
        const stream = await server.open("GET", `${path}?${query}`, { signal: over.signal });
        for await (const line of createInterface({ input: stream })) {
          const { type, object } = JSON.parse(line) as {
            type: string;
            object: { metadata: { resourceVersion: string } };
          };
          assert.equal(type, "ADDED", line);
          last = Number(object.metadata.resourceVersion);
          seen.push(last);
        }
      } catch (error) {
        if (over.signal.aborted) return;
        assertConnectionLost(error);
      }
      await sleep(10);
    }
  };
  const running = run();
  running.catch(() => undefined);
  return {
    async end() {
      over.abort();
      await running;
    },
  };
}

function assertConnectionLost(error: unknown): void {
  const { code = "", name, message } = error as NodeJS.ErrnoException;
  const expected = ["ECONNRESET", "ECONNREFUSED", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"];
  const isCut = message === "aborted" || message === "socket hang up" || name === "SyntaxError";
  if (!expected.includes(code) && !isCut) throw error;
}
