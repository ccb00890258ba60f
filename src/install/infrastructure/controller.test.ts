import assert from "node:assert/strict";
import { test } from "node:test";
import { EventRecorder } from "../../api/client/events.ts";
import { Informers } from "../../api/client/informer.ts";
import { FakeApi } from "../../api/client/testing/api.ts";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { createLog } from "../../base/program/log.ts";
import { runAll } from "../../base/program/run-all.ts";
import { infrastructureController } from "./controller.ts";
import { type Infrastructure, infrastructures } from "./object.ts";
import { baremetal, bothPairs, first, firstPair, second } from "./testing/sample.ts";

test("[VIP-2, VIP-5] the controller writes what is decided, and tells of what is not", async () => {
  const api = new FakeApi();
  const clock = new FakeClock();
  const log = createLog({ write: () => undefined, format: "json" });
  const settings = { clock, random: new FakeRandom(), log };
  const informers = new Informers(settings);
  const events = api.client.resource("v1", "Event");
  const recorder = new EventRecorder({ ...settings, events, component: "test" });
  const controller = infrastructureController({
    ...settings,
    client: api.client,
    informers,
    recorder,
    podNetworks: [],
    serviceNetworks: [],
  });
  const resource = api.client.custom<Infrastructure>(infrastructures);
  const place = { name: "cluster" };
  await resource.create(baremetal({ ...firstPair, ingressIP: "192.168.111.77" }));

  const stop = new AbortController();
  const running = runAll([informersAs(informers), controller, recorder], stop.signal);
  const settle = async () => {
    await clock.advance(1000);
    await controller.idle();
    await recorder.idle();
    return resource.get(place);
  };

  const upgraded = await settle();
  assert.deepEqual(upgraded.status?.platformStatus?.baremetal, firstPair);
  assert.deepEqual(upgraded.spec?.platformSpec?.baremetal?.ingressIPs, [first.ingress]);

  await resource.patch(place, { merge: { spec: { platformSpec: { baremetal: bothPairs } } } });
  const extended = await settle();
  assert.deepEqual(extended.status?.platformStatus?.baremetal?.ingressIPs, [
    first.ingress,
    second.ingress,
  ]);

  const told = (await events.list()).items.map(({ message = "" }) => message);
  assert.deepEqual(
    told.filter((message) => message.includes("VIPs change by the spec")),
    [],
    "a change by the spec is no difference, also while it is being written",
  );

  const wrong = { ingressIPs: ["192.168.111.8", second.ingress] };
  await resource.patch(place, { merge: { spec: { platformSpec: { baremetal: wrong } } } });
  const refused = await settle();
  assert.deepEqual(refused.status?.platformStatus, extended.status?.platformStatus);
  assert.equal(refused.status?.conditions?.[0]?.status, "True");

  const { items } = await events.list();
  assert.deepEqual(
    new Set(items.map(({ reason }) => reason)),
    new Set(["SpecRefused", "VIPsDiffer"]),
  );
  stop.abort();
  await running;
});

function informersAs(informers: Informers) {
  return { name: "informers", run: (signal: AbortSignal) => informers.run(signal) };
}
