// `npm install --prefix /tmp/engines libsql lmdb better-sqlite3` and STORE_ENGINES=/tmp/engines bring in
// the engines that the project does not depend on.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openEtcd } from "../src/control/store/etcd/open.ts";
import { startEtcd } from "../test/fixtures/etcd.ts";
import {
  type Benchmark,
  type Case,
  duration,
  type Group,
  load,
  lower,
  type Measure,
} from "./harness.ts";
import { type Engine, engines, fill, keyOf } from "./store-engines.ts";

export default {
  title: "durable creates, lists and opening of the stores",
  groups: () => [
    creating({ writers: 1, operations: 1000 }),
    creating({ writers: 32, operations: 10_000 }),
    listing(),
    opening(),
  ],
} satisfies Benchmark;

type Scope = AsyncDisposableStack;

function creating({ writers, operations }: { writers: number; operations: number }): Group {
  const value = Buffer.alloc(1000, "x");
  return {
    name: `creates of 1 kB, durable, ${writers} at a time`,
    baseline: "node:sqlite",
    cases: everyEngine(async (engine) => {
      const create = load({ operations, concurrency: writers }, async (n) => {
        if (!(await engine.create(keyOf(n), value))) throw new Error(`${keyOf(n)} was there`);
      });
      return mainThread(operations, create);
    }),
  };
}

function listing(): Group {
  return {
    name: "list 5,000 of 10,000 × 1.5 kB",
    baseline: "node:sqlite",
    cases: everyEngine(async (engine) => {
      await fill(engine, 10_000);
      return duration(() => engine.list("/registry/pods/", 5000));
    }),
  };
}

function opening(): Group {
  const cases: Record<string, Case> = {};
  for (const [name, open] of Object.entries(engines)) {
    cases[name] = async (scope) => {
      // Says here and now if the engine is not available.
      await (await open(await temporaryDirectory(scope))).close();
      const directory = await temporaryDirectory(scope);
      inOwnProcess("fill", name, directory);
      return () => {
        const { time, memory } = inOwnProcess("open", name, directory);
        return { time: lower(time, "ms"), memory: lower(memory, "bytes") };
      };
    };
  }
  return { name: "open with 150,000 × 1.5 kB", baseline: "node:sqlite", cases };
}

/** So that the memory is what opening takes. */
function inOwnProcess(...args: readonly string[]): { time: number; memory: number } {
  const script = join(import.meta.dirname, "store-engines.ts");
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const printed = execFileSync(process.execPath, [script, ...args], { env });
  return JSON.parse(String(printed)) as { time: number; memory: number };
}

function everyEngine(measure: (engine: Engine) => Promise<Measure>): Record<string, Case> {
  const cases: Record<string, Case> = {};
  for (const [name, open] of Object.entries(engines)) {
    cases[name] = async (scope) => {
      const engine = await open(await temporaryDirectory(scope));
      scope.defer(() => engine.close());
      return measure(engine);
    };
  }
  cases["tandem on etcd"] = async (scope) => measure(await etcdEngine(scope));
  return cases;
}

async function etcdEngine(scope: Scope): Promise<Engine> {
  const etcd = scope.use(await startEtcd());
  const store = await openEtcd(etcd.client);
  scope.defer(() => store.close());
  return {
    create: async (key, value) => {
      const operations = [{ type: "put", key, value }] as const;
      return (await store.commit({ compare: [{ key, modified: 0 }], operations })).ok;
    },
    list: async (prefix, limit) => (await store.list(prefix, { limit })).entries.length,
    close: () => store.close(),
  };
}

/** Adds how long the thread that also serves requests is busy with each operation. */
function mainThread(operations: number, measure: Measure): Measure {
  return async () => {
    const before = performance.eventLoopUtilization();
    const figures = await measure();
    const { active } = performance.eventLoopUtilization(before);
    return { ...figures, "main thread": lower(active / operations, "ms") };
  };
}

async function temporaryDirectory(scope: Scope): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tandem-bench-"));
  scope.defer(() => rm(directory, { recursive: true }));
  return directory;
}
