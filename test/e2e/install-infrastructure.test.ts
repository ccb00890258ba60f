// The Infrastructure object on the real API server, with its controller beside it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { staticCredentials } from "../../src/api/client/access.ts";
import { connect } from "../../src/api/client/connect.ts";
import { EventRecorder } from "../../src/api/client/events.ts";
import { Informers } from "../../src/api/client/informer/informers.ts";
import { systemClock } from "../../src/base/host/clock.system.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { createLog } from "../../src/base/program/log.ts";
import { runAll } from "../../src/base/program/run-all.ts";
import { startServer } from "../../src/control/apiserver/testing/start.ts";
import { infrastructureController } from "../../src/install/infrastructure/controller.ts";
import { type Infrastructure, infrastructures } from "../../src/install/infrastructure/object.ts";
import {
  baremetal,
  bothPairs,
  first,
  firstPair,
} from "../../src/install/infrastructure/sample.fixture.ts";

test("[VIP-2, VIP-5] old and new clients, and the second pair, on a real server", async () => {
  await using server = await startServer();
  const access = {
    server: new URL(server.url),
    authorities: server.authority,
    credentials: staticCredentials(server.client),
    namespace: "default",
  };
  const settings = {
    clock: systemClock,
    random: systemRandom,
    log: createLog({ write: () => undefined, format: "json" }),
  };
  const client = connect(access, { component: "test", ...settings });
  const informers = new Informers(settings);
  const events = client.resource("v1", "Event");
  const recorder = new EventRecorder({ ...settings, events, component: "test" });
  const resource = client.custom<Infrastructure>(infrastructures);
  const place = { name: "cluster" };
  const stop = new AbortController();
  const running = runAll(
    [
      { name: "informers", run: (signal: AbortSignal) => informers.run(signal) },
      infrastructureController({ ...settings, client, informers, recorder }),
      recorder,
    ],
    stop.signal,
  );
  const becomes = async (expected: (status: NonNullable<Infrastructure["status"]>) => boolean) => {
    const deadline = AbortSignal.timeout(30_000);
    for (;;) {
      const { status } = await resource.get(place);
      if (status !== undefined && expected(status)) return status;
      deadline.throwIfAborted();
      await delay(20);
    }
  };

  const { status: _, ...object } = baremetal({});
  await resource.create(object);
  const old = {
    type: "BareMetal",
    baremetal: { apiServerInternalIP: first.api, ingressIP: first.ingress },
  };
  await resource.patchStatus(place, { merge: { status: { platformStatus: old } } });
  const upgraded = await becomes(
    (status) => status.platformStatus?.baremetal?.ingressIPs !== undefined,
  );
  assert.deepEqual(upgraded.platformStatus?.baremetal, firstPair);

  const request = (spec: object) =>
    resource.patch(place, { merge: { spec: { platformSpec: { baremetal: spec } } } });
  await request(bothPairs);
  await becomes((status) => status.platformStatus?.baremetal?.ingressIPs?.length === 2);

  await request({ apiServerInternalIPs: ["192.168.111.77"] });
  const refused = await becomes((status) => status.conditions?.[0]?.status === "True");
  assert.equal(refused.platformStatus?.baremetal?.apiServerInternalIP, first.api);
  assert.match(refused.conditions?.[0]?.message ?? "", /first VIP cannot be modified/);
  await recorder.idle();
  const { items } = await events.list({ namespace: "default" });
  assert.ok(items.some(({ reason }) => reason === "SpecRefused"));

  await request({ apiServerInternalIPs: [first.api], ingressIPs: [first.ingress] });
  const removed = await becomes((status) => status.conditions?.[0]?.status === "False");
  assert.deepEqual(removed.platformStatus?.baremetal, firstPair);

  stop.abort();
  await running;
  client.transport.close();
});
