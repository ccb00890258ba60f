// The end of pods when something on the way to it fails: nothing of them stays, and they do not come back.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused } from "../../api/client/errors.ts";
import { lost } from "../../api/client/informer/testing/informer.ts";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { isReady, TestNode } from "./testing/node.ts";
import { podOf } from "./testing/pod.ts";

const held = { metadata: { finalizers: ["example.com/hold"] } };
const web = { namespace: "default", name: "web" };

describe("[CNI-6] pods that end", () => {
  for (const [state, fail] of [
    ["could not be watched for a while", () => undefined],
    ["has lost its files", (containers: TestNode["containers"]) => containers.lose("main")],
  ] as const) {
    test(`a pod whose container ${state} goes when it is deleted`, async () => {
      const clock = new FakeClock();
      await using node = await TestNode.open({ clock });
      let failures = 0;
      node.containers.waitFault = () => {
        if (failures++ > 0) return undefined;
        fail(node.containers);
        return new Error("too many open files");
      };
      await node.create(podOf("web"));
      await node.eventually(async () => failures > 0 || undefined, "the failure");
      await node.pods.delete(web);
      await node.eventually(async () => {
        await clock.advance(1_000);
        return node.sandboxes.records.size === 0 || undefined;
      }, "its end");
      assert.deepEqual(await node.containers.list(), []);
    });
  }

  test("a container whose start failed, and left something, is removed with its pod", async () => {
    await using node = await TestNode.open();
    const begun: string[] = [];
    node.containers.fault = ({ id }) => {
      begun.push(id);
      return new Error("its cgroup cannot be removed");
    };
    await node.create(podOf("web"));
    await node.eventually(async () => begun.length > 0 || undefined, "the failure");
    await node.pods.delete(web);
    const isGone = async () => node.sandboxes.records.size === 0 || undefined;
    await node.eventually(isGone, "its end");
    const { removed } = node.containers;
    assert.deepEqual(
      begun.filter((id) => !removed.includes(id)),
      [],
    );
  });

  test("a pod that could not end while the API was away ends soon after it is back", async () => {
    const clock = new FakeClock();
    await using node = await TestNode.open({ clock });
    await node.create(podOf("web", held));
    await node.until("web", isReady);
    let failures = 0;
    node.api.fault = ({ method }) => (method === "PATCH" && failures++ >= 0 ? lost() : undefined);
    await node.pods.delete(web);
    await node.eventually(async () => {
      await clock.advance(10_000);
      return failures > 12 || undefined;
    }, "a long outage");
    node.api.fault = () => undefined;
    const back = clock.now();
    await node.eventually(async () => {
      await clock.advance(500);
      return node.sandboxes.records.size === 0 || undefined;
    }, "its end");
    assert.ok(clock.now() - back <= 10_000, `it took ${clock.now() - back} ms`);
  });

  test("leftovers that the next agent cannot remove at first are removed later", async () => {
    const clock = new FakeClock();
    await using node = await TestNode.open({ clock });
    await node.create(podOf("web"));
    await node.until("web", isReady);
    await node.stop();
    await node.pods.delete(web);
    let failures = 0;
    node.sandboxes.removeFault = () => (failures++ === 0 ? new Error("busy") : undefined);
    node.start();
    await node.eventually(async () => {
      await clock.advance(1_000);
      return node.sandboxes.records.size === 0 || undefined;
    }, "the leftovers to go");
    assert.equal(failures, 2);
  });

  test("a pod whose object could not be deleted because of another writer is deleted again", async () => {
    await using node = await TestNode.open();
    await node.create(podOf("web", held));
    await node.until("web", isReady);
    let refusals = 0;
    node.api.fault = ({ method, path }) => {
      const isRelease =
        method === "DELETE" && path.endsWith("/web") && node.network.attached.size === 0;
      if (!isRelease || refusals++ > 0) return undefined;
      return refused("DELETE", { code: 409, body: '{"kind":"Status","reason":"Conflict"}' });
    };
    await node.pods.delete(web);
    await node.eventually(async () => refusals > 1 || undefined, "another attempt");
    await node.eventually(
      async () => node.manager.containers.list().length === 0 || undefined,
      "its end",
    );
  });

  test("a pod that has ended does not begin again when a late watch tells how it was before", async () => {
    await using node = await TestNode.open();
    const { api } = node;
    await node.create(podOf("web", held));
    await node.until("web", isReady);
    // The watch is lost; the agent learns of the deletion by the answer to its next write.
    api.fault = ({ path }) => (path.includes("watch=true") ? lost() : undefined);
    api.endWatches(lost());
    await node.eventually(async () => api.watches === 0 || undefined, "the end of watches");
    await node.pods.patch(web, { merge: { metadata: { labels: { before: "deletion" } } } });
    await node.create(podOf("other"));
    await node.pods.delete(web);
    node.containers.end("main", 1);
    const listed = () => node.manager.containers.list().map(({ metadata }) => metadata.name);
    await node.eventually(async () => !listed().includes("web") || undefined, "its end");
    // The watch is back, but has come no further than to the other pod.
    const rest = Promise.withResolvers<void>();
    const open = api.open.bind(api);
    api.open = async (request) => {
      const response = await open(request);
      const isPods = request.path.startsWith("/api/v1/pods?");
      return isPods ? { ...response, body: after(2, response.body, rest.promise) } : response;
    };
    api.fault = () => undefined;
    await node.until("other", isReady).finally(() => rest.resolve());
    const asked = node.network.requests.map(({ pod }) => pod.metadata.name);
    assert.deepEqual(asked, ["web", "other"]);
  });

  test("[CNI-6] what the network holds for pods that are gone is freed later when it cannot be at the start", async () => {
    const clock = new FakeClock();
    await using node = await TestNode.open({ clock });
    await node.create(podOf("web"));
    await node.until("web", isReady);
    await node.stop();
    node.network.collected = undefined;
    node.network.fault = new Error("the IPAM daemon is away");
    node.start();
    await node.eventually(async () => node.network.refusedCollections === 1 || undefined, "a try");
    node.network.fault = undefined;
    await node.eventually(async () => {
      await clock.advance(10_000);
      return node.network.collected?.length === 1 || undefined;
    }, "collection");
  });
});

/** Yields so many chunks at once, and the others later. */
async function* after(
  count: number,
  chunks: AsyncIterable<Buffer>,
  later: Promise<void>,
): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const chunk of chunks) {
    if (seen++ >= count) await later;
    yield chunk;
  }
}
