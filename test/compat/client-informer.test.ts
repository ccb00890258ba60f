// Informers at a real server that is killed, compacted, and too fast for them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "../../src/api/client/client.ts";
import { Controller } from "../../src/api/client/controller.ts";
import { isNotFound, isTimeout, isUnavailable } from "../../src/api/client/errors.ts";
import type { Informer } from "../../src/api/client/informer/informer.ts";
import { Informers } from "../../src/api/client/informer/informers.ts";
import { keyOf } from "../../src/api/client/objects.ts";
import type { ConfigMap } from "../../src/api/types/core.ts";
import { Registry } from "../../src/base/program/metrics.ts";
import { openEmbedded } from "../../src/control/store/embedded/open.system.ts";
import { TestServer } from "../fixtures/server.ts";
import { clientOf, clock, eventually, Gate, random, silent } from "./client.fixture.ts";

const namespace = "default";
const selection = { namespace, labelSelector: "test=informer" };
const labels = { test: "informer" };

/** What an informer told: for each key the versions it had then, `gone` for none. */
class Told {
  readonly byKey = new Map<string, string[]>();

  constructor(informer: Informer<ConfigMap>) {
    informer.subscribe((key) => {
      const versions = this.byKey.get(key) ?? [];
      this.byKey.set(key, versions);
      versions.push(informer.get(key)?.metadata.resourceVersion ?? "gone");
    });
  }

  get versions(): string[] {
    return [...this.byKey.values()].flat().filter((version) => version !== "gone");
  }

  goneOf(key: string): number {
    return (this.byKey.get(key) ?? []).filter((version) => version === "gone").length;
  }
}

/** Writes its own objects over and over, and keeps account of what was acknowledged. */
class Writer {
  readonly acknowledged: string[] = [];
  readonly deleted = new Map<string, number>();
  /** Deletions that may or may not have been carried out. */
  readonly uncertain = new Map<string, number>();
  readonly #maps;
  readonly #name: string;

  constructor(client: Client, name: string) {
    this.#maps = client.resource("v1", "ConfigMap");
    this.#name = name;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let serial = 0; !signal.aborted; serial++) {
      const name = `${this.#name}-${serial % 5}`;
      try {
        if (serial % 7 === 6) await this.#delete(name);
        else await this.#write(name, serial);
      } catch (error) {
        if (!isUnavailable(error) && !isTimeout(error)) throw error;
        await clock.sleep(20);
      }
    }
  }

  async #write(name: string, serial: number): Promise<void> {
    const data = { serial: String(serial) };
    const { metadata } = await this.#maps.apply({ metadata: { namespace, name, labels }, data });
    this.acknowledged.push(metadata.resourceVersion ?? "");
  }

  async #delete(name: string): Promise<void> {
    const key = `${namespace}/${name}`;
    try {
      await this.#maps.delete({ namespace, name });
      this.deleted.set(key, (this.deleted.get(key) ?? 0) + 1);
    } catch (error) {
      if (isNotFound(error)) return;
      this.uncertain.set(key, (this.uncertain.get(key) ?? 0) + 1);
      throw error;
    }
  }
}

function versionsOf(objects: readonly ConfigMap[]): string[] {
  return objects.map((map) => `${keyOf(map)} ${map.metadata.resourceVersion}`).toSorted();
}

const kills = 10;
test(`[API-5] an informer through ${kills} kills: every change is told once, the cache ends like the server`, {
  timeout: 200_000,
}, async () => {
  await using server = await TestServer.start();
  using client = await clientOf(server.kubeconfig);
  const maps = client.resource("v1", "ConfigMap");
  const metrics = new Registry();
  const informers = new Informers({ clock, random, log: silent, metrics });
  const informer = informers.of(maps, selection);
  const told = new Told(informer);
  const stop = new AbortController();
  const informing = informers.run(stop.signal);
  await informer.synced;

  const writers = [1, 2, 3, 4].map((number) => new Writer(client, `w${number}`));
  const enough = new AbortController();
  const writing = writers.map((writer) => writer.run(enough.signal));
  const count = () => writers.reduce((sum, writer) => sum + writer.acknowledged.length, 0);
  for (let round = 0; round < kills; round++) {
    const before = count();
    await eventually("writing", () => count() > before + 30);
    await server.kill();
    await server.launch();
  }
  const settled = count();
  await eventually("writing", () => count() > settled + 30);
  enough.abort();
  await Promise.all(writing);

  const { items } = await maps.listAll(selection);
  const same = () => versionsOf(informer.list()).join() === versionsOf(items).join();
  await eventually("an equal cache", same);
  stop.abort();
  await informing;

  const versions = told.versions;
  assert.equal(new Set(versions).size, versions.length, "none twice");
  const seen = new Set(versions);
  const missed = writers.flatMap(({ acknowledged }) =>
    acknowledged.filter((one) => !seen.has(one)),
  );
  assert.deepEqual(missed, [], `of ${count()} acknowledged`);
  for (const { deleted, uncertain } of writers) {
    for (const [key, number] of deleted) {
      const most = number + (uncertain.get(key) ?? 0);
      const gone = told.goneOf(key);
      assert.ok(gone >= number && gone <= most, `${key}: ${gone} of ${number} to ${most}`);
    }
  }
  const lists = `informer_lists_total{name="${informer.name}"} 1\n`;
  assert.ok(metrics.render().includes(lists), "never read anew: history was there");
});

for (const initial of ["list", "stream"] as const) {
  test(`an informer reads everything anew by ${initial} when history was compacted, and tells the difference`, {
    timeout: 120_000,
  }, async () => {
    await using server = await TestServer.start();
    using client = await clientOf(server.kubeconfig);
    const maps = client.resource("v1", "ConfigMap");
    const write = (name: string, value: string) =>
      maps.apply({ metadata: { namespace, name, labels }, data: { value } });
    for (const name of ["same", "changed", "deleted"]) await write(name, "1");

    const gate = new Gate(client);
    const informers = new Informers({ clock, random, log: silent });
    const informer = informers.of(gate.client.resource("v1", "ConfigMap"), {
      ...selection,
      initial,
    });
    const stop = new AbortController();
    const informing = informers.run(stop.signal);
    await informer.synced;
    const keys: string[] = [];
    informer.subscribe((key) => keys.push(key));
    keys.length = 0;

    gate.isShut = true;
    await server.kill();
    await server.launch();
    await write("changed", "2");
    await maps.delete({ namespace, name: "deleted" });
    await write("new", "1");
    await server.kill();
    const store = await openEmbedded({ directory: join(server.directory, "data", "store") });
    await store.compact(await store.revision());
    await store.close();
    await server.launch();
    gate.isShut = false;

    await eventually("the new object", () => informer.get("default/new") !== undefined);
    const { items } = await maps.listAll(selection);
    await eventually(
      "an equal cache",
      () => versionsOf(informer.list()).join() === versionsOf(items).join(),
    );
    assert.deepEqual(keys.toSorted(), ["default/changed", "default/deleted", "default/new"]);
    stop.abort();
    await informing;
  });
}

test("slow subscribers and slow controllers miss nothing", { timeout: 120_000 }, async () => {
  await using server = await TestServer.start();
  using client = await clientOf(server.kubeconfig);
  const maps = client.resource("v1", "ConfigMap");
  const informers = new Informers({ clock, random, log: silent });
  const informer = informers.of(maps, selection);
  const told = new Told(informer);
  informer.subscribe(() => {
    // Holds up everything in this process for a while.
    const until = performance.now() + 3;
    while (performance.now() < until);
  });
  const seen = new Map<string, string>();
  const controller = new Controller({
    name: "slow",
    sources: [informer],
    reconcile: async (key) => {
      const value = informer.get(key)?.data?.["value"] ?? "";
      await clock.sleep(20);
      seen.set(key, value);
    },
    concurrency: 4,
    log: silent,
    clock,
    random,
  });
  const stop = new AbortController();
  const running = [informers, controller].map((part) => part.run(stop.signal));
  const acknowledged: string[] = [];
  const filler = "x".repeat(50_000);
  const write = async (writer: number) => {
    for (let turn = 0; turn < 60; turn++) {
      const name = `big-${writer}-${turn % 10}`;
      const data = { value: String(turn), filler };
      const { metadata } = await maps.apply({ metadata: { namespace, name, labels }, data });
      acknowledged.push(metadata.resourceVersion ?? "");
    }
  };
  await Promise.all([1, 2, 3].map(write));
  const { items } = await maps.listAll(selection);
  await eventually(
    "an equal cache",
    () => versionsOf(informer.list()).join() === versionsOf(items).join(),
  );
  await controller.idle();
  stop.abort();
  await Promise.all(running);
  assert.deepEqual(told.versions.toSorted(), acknowledged.toSorted());
  for (const item of items) assert.equal(seen.get(keyOf(item)), item.data?.["value"], keyOf(item));
});
