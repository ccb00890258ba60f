import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FakeApi } from "../../../api/client/testing/api.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { openState, service, slices } from "../plan/testing/scenario.ts";
import type { Revisions } from "../sync/revisions.ts";
import { followServices } from "./follow-services.ts";

function open(context: TestContext) {
  const api = new FakeApi();
  const clock = new FakeClock();
  const state = openState();
  let revisions: Revisions = {};
  const collections = followServices({
    client: api.client,
    state,
    node: "here",
    clock,
    random: new FakeRandom(),
    log: createLog({ format: "text", write: () => undefined }),
    onChange: (news) => {
      revisions = { ...revisions, ...news };
    },
  });
  const abort = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  context.after(async () => {
    abort.abort();
    await running;
  });
  const services = api.client.resource("v1", "Service");
  const endpointSlices = api.client.resource("discovery.k8s.io/v1", "EndpointSlice");
  return {
    api,
    clock,
    services,
    endpointSlices,
    revisions: () => revisions,
    start: async (): Promise<void> => {
      running = Promise.all(collections.map((collection) => collection.run(abort.signal)));
      await Promise.all(collections.map(({ synced }) => synced));
    },
    /** Returns the endpoints of the cluster IP, once changes that are under way have arrived. */
    endpoints: async (): Promise<readonly string[]> => {
      await clock.advance(1000);
      state.takeChange();
      const frontend = state.tables.IPv4.get("10.96.0.1 tcp 80");
      return frontend?.pool.map(({ address }) => address) ?? ["nothing"];
    },
  };
}

const [slice] = slices(["a", "b"]);
const [fewer] = slices(["b"]);
assert(slice !== undefined && fewer !== undefined);

test("objects come into the state, with every change and with their versions", async (t) => {
  const { api, services, endpointSlices, start, endpoints, revisions } = open(t);
  await services.create(service());
  await endpointSlices.create(slice);
  await start();
  assert.deepEqual(await endpoints(), ["10.1.1.10", "10.1.2.11"]);
  assert.deepEqual(revisions(), {
    services: String(api.version),
    endpointslices: String(api.version),
  });
  await endpointSlices.update(fewer);
  assert.deepEqual(await endpoints(), ["10.1.2.11"]);
  assert.equal(revisions()["endpointslices"], String(api.version));
  await endpointSlices.delete(fewer.metadata);
  assert.deepEqual(await endpoints(), []);
  assert.equal(revisions()["endpointslices"], String(api.version), "a deletion has a version, too");
  await services.delete(service().metadata);
  assert.deepEqual(await endpoints(), ["nothing"]);
});

test("what has gone while nobody watched is gone afterwards", async (t) => {
  const { api, clock, services, endpointSlices, start, endpoints, revisions } = open(t);
  await services.create(service());
  await endpointSlices.create(slice);
  await start();
  assert.equal((await endpoints()).length, 2);
  api.fault = () => new Error("the server is away");
  api.endWatches(new Error("the server has died"));
  await clock.advance(1000);
  api.fault = () => undefined;
  await endpointSlices.delete(slice.metadata);
  api.compact();
  const lists = api.asked.length;
  await clock.advance(30_000);
  assert.deepEqual(await endpoints(), []);
  assert(api.asked.slice(lists).some((asked) => asked.includes("endpointslices?limit=")));
  assert.equal(revisions()["endpointslices"], String(api.version), "no object has that version");
});

test("a slice that changes hands leaves the service it was of", async (t) => {
  const { services, endpointSlices, start, endpoints } = open(t);
  await services.create(service());
  await endpointSlices.create(slice);
  await start();
  const labels = { "kubernetes.io/service-name": "another" };
  await endpointSlices.update({ ...slice, metadata: { ...slice.metadata, labels } });
  assert.deepEqual(await endpoints(), []);
});

test("services without an address of their own are not asked for", async (t) => {
  const { api, start } = open(t);
  await start();
  const lists = api.asked.filter((request) => !request.includes("watch"));
  assert(lists.every((request) => request.includes("headless")));
});

test("[EP-3] [PROP-5] behind a selector, slices of another controller are not used; without one they are", async (t) => {
  const { services, endpointSlices, start, endpoints } = open(t);
  const managedBy = "endpointslice.kubernetes.io/managed-by";
  const ofManager = (manager: string, name: string, label: string) => {
    const [made] = slices([name === "theirs" ? "a" : "b"]);
    assert(made !== undefined);
    const { "kubernetes.io/service-name": of = "" } = made.metadata.labels ?? {};
    return {
      ...made,
      metadata: { ...made.metadata, name, labels: { [label]: of, [managedBy]: manager } },
    };
  };
  const selecting = service();
  await services.create({ ...selecting, spec: { ...selecting.spec, selector: { app: "web" } } });
  const theirs = ofManager("fast-path.example.com", "theirs", "kubernetes.io/service-name");
  const manager = "endpointslice-controller.tandem.internal";
  await endpointSlices.create(theirs);
  await endpointSlices.create(ofManager(manager, "ours", "tandem.internal/service-name"));
  await start();
  assert.deepEqual(await endpoints(), ["10.1.2.11"]);
  const stored = await services.get(selecting.metadata);
  const { selector: _, ...spec } = stored.spec;
  await services.update({ ...stored, spec });
  assert.deepEqual((await endpoints()).toSorted(), ["10.1.1.10", "10.1.2.11"]);
});
