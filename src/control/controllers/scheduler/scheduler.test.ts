import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Informers } from "../../../api/client/informer.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import type { Pod } from "../../../api/types/core.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { nodeOf, podOf } from "../workloads/testing/objects.ts";
import { Scheduler } from "./scheduler.ts";

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const random = new FakeRandom();
  const log = createLog({ write: () => undefined, format: "json" });
  const informers = new Informers({ clock, random, log });
  const resource = api.client.resource("v1", "Pod");
  const nodes = api.client.resource("v1", "Node");
  const refused = new Map<string, string[]>();
  const binds = {
    count: 0,
    /** The outcome of the next bindings; if it returns `undefined`, they succeed. */
    next: (): Promise<boolean> | undefined => undefined,
  };
  const scheduler = new Scheduler({
    pods: informers.of(resource),
    nodes: informers.of(nodes),
    namespaces: informers.of(api.client.resource("v1", "Namespace")),
    async bind(pod, nodeName) {
      binds.count += 1;
      const other = binds.next();
      if (other !== undefined) return await other;
      await resource.patch(pod.metadata, { merge: { spec: { nodeName } } });
      return true;
    },
    async refuse({ metadata }, message) {
      refused.set(metadata.name, [...(refused.get(metadata.name) ?? []), message]);
      const status = { conditions: [{ type: "PodScheduled", status: "False", message }] };
      await resource.patchStatus(metadata, { merge: { status } });
    },
    clock,
    random,
    log,
  });
  const stop = new AbortController();
  const running = [informers.run(stop.signal), scheduler.run(stop.signal)];
  const settle = async () => {
    await clock.advance(0);
    await scheduler.idle();
    await clock.advance(0);
  };
  const nodeNameOf = async (name: string) =>
    (await resource.get({ namespace: "default", name })).spec.nodeName;
  return {
    api,
    clock,
    resource,
    nodes,
    refused,
    binds,
    settle,
    nodeNameOf,
    create: (pod: Pod) => resource.create(pod),
    async end() {
      stop.abort();
      await clock.advance(60_000);
      await Promise.all(running);
    },
  };
}

describe("the scheduler", () => {
  let given: ReturnType<typeof setUp>;
  beforeEach(async () => {
    given = setUp();
    await given.settle();
  });
  afterEach(() => given.end());

  test("gives pods nodes, and none more than it has", async () => {
    for (const name of ["a", "b"]) await given.nodes.create(nodeOf(name));
    for (let number = 0; number < 10; number++) {
      await given.create(podOf(`p${number}`, { requests: { cpu: "1" } }));
    }
    await given.settle();
    const { items } = await given.resource.list();
    const byNode = Map.groupBy(items, ({ spec }) => spec.nodeName ?? "none");
    const counts = [...byNode].map(([node, pods]) => [node, pods.length]);
    assert.deepEqual(Object.fromEntries(counts), { a: 4, b: 4, none: 2 });
    assert.equal(given.refused.size, 2);
    for (const [message] of given.refused.values()) {
      assert.equal(message, "0/2 nodes are available: 2 Insufficient cpu.");
    }
  });

  test("counts what is bound but not yet seen so", async () => {
    await given.nodes.create(nodeOf("a"));
    const answer = Promise.withResolvers<boolean>();
    given.binds.next = () => answer.promise;
    for (const name of ["p", "q"]) await given.create(podOf(name, { requests: { cpu: "3" } }));
    await given.clock.advance(0);
    assert.equal(given.binds.count, 1);
    assert.deepEqual([...given.refused.keys()], ["q"]);
    given.binds.next = () => undefined;
    answer.resolve(false);
    await given.clock.advance(3_000);
    await given.settle();
    // Either pod may win, since both fit the node that was freed.
    const names = await Promise.all(["p", "q"].map(given.nodeNameOf));
    assert.deepEqual(
      names.filter((name) => name !== undefined),
      ["a"],
    );
  });

  test("tries again when a node comes, when a pod goes, and when a node changes", async () => {
    await given.create(podOf("p", { requests: { cpu: "3" } }));
    await given.settle();
    assert.deepEqual(given.refused.get("p"), ["no nodes available to schedule pods"]);
    const busy = podOf("q", { requests: { cpu: "3" }, spec: { nodeName: "a" } });
    await given.create(busy);
    await given.nodes.create(nodeOf("a"));
    await given.clock.advance(1_000);
    await given.settle();
    assert.equal(given.refused.get("p")?.at(-1), "0/1 nodes are available: 1 Insufficient cpu.");
    await given.resource.delete(busy.metadata);
    await given.clock.advance(2_000);
    await given.settle();
    assert.equal(await given.nodeNameOf("p"), "a");

    await given.create(podOf("r", { spec: { nodeSelector: { zone: "z" } } }));
    await given.settle();
    assert.match(given.refused.get("r")?.at(-1) ?? "", /didn't match Pod's node affinity/);
    await given.nodes.patch({ name: "a" }, { merge: { metadata: { labels: { zone: "z" } } } });
    await given.clock.advance(2_000);
    await given.settle();
    assert.equal(await given.nodeNameOf("r"), "a");
  });

  test("its own word of a refusal does not make it try again", async () => {
    await given.create(podOf("p"));
    await given.settle();
    await given.clock.advance(60_000);
    assert.equal(given.refused.get("p")?.length, 1);
  });

  test("heartbeats of nodes do not make it try again", async () => {
    await given.nodes.create(nodeOf("a", { allocatable: { pods: "0" } }));
    await given.create(podOf("p"));
    await given.settle();
    for (let beat = 0; beat < 5; beat++) {
      const status = { conditions: [{ type: "Ready", status: "True", message: `${beat}` }] };
      await given.nodes.patchStatus({ name: "a" }, { merge: { status } });
      await given.clock.advance(10_000);
    }
    assert.equal(given.refused.get("p")?.length, 1);
  });

  test("leaves alone what is gated, ends, has a node, or another scheduler", async () => {
    await given.nodes.create(nodeOf("a"));
    const ending = podOf("ending", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await given.create(ending);
    await given.create(podOf("gated", { spec: { schedulingGates: [{ name: "g" }] } }));
    await given.create(podOf("placed", { spec: { nodeName: "b" } }));
    await given.create(podOf("other", { spec: { schedulerName: "mine" } }));
    await given.settle();
    assert.equal(given.binds.count, 0);
    const place = { namespace: "default", name: "gated" };
    await given.resource.patch(place, { merge: { spec: { schedulingGates: null } } });
    await given.settle();
    assert.equal(await given.nodeNameOf("gated"), "a");
  });

  test("tries again when a binding fails", async () => {
    await given.nodes.create(nodeOf("a"));
    given.binds.next = () => Promise.reject(new Error("no"));
    await given.create(podOf("p"));
    await given.clock.advance(0);
    given.binds.next = () => undefined;
    await given.clock.advance(2_000);
    await given.settle();
    assert.equal(given.binds.count, 2);
    assert.equal(await given.nodeNameOf("p"), "a");
  });

  test("a pod made anew under its name is another pod", async () => {
    await given.nodes.create(nodeOf("a"));
    const answer = Promise.withResolvers<boolean>();
    given.binds.next = () => answer.promise;
    const pod = podOf("p", { requests: { cpu: "3" } });
    await given.create(pod);
    await given.clock.advance(0);
    given.binds.next = () => undefined;
    await given.resource.delete(pod.metadata);
    await given.create(podOf("p", { metadata: { uid: "other" }, requests: { cpu: "3" } }));
    await given.clock.advance(0);
    answer.resolve(false);
    await given.clock.advance(3_000);
    await given.settle();
    assert.equal(await given.nodeNameOf("p"), "a");
  });
});
