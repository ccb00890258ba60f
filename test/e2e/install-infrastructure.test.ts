// The Infrastructure object on the real API server, with its controller beside it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { staticCredentials } from "../../src/api/client/access.ts";
import { connect } from "../../src/api/client/connect.ts";
import { isInvalid } from "../../src/api/client/errors.ts";
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
} from "../../src/install/infrastructure/testing/sample.ts";

test("[VIP-2, VIP-5] old and new clients, and the second pair, on a real server", async () => {
  await using server = await startServer();
  await using cluster = controlled(server);
  const { resource, becomes, events } = cluster;
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
  await cluster.recorded();
  const { items } = await events.list({ namespace: "default" });
  assert.ok(items.some(({ reason }) => reason === "SpecRefused"));

  await request({ apiServerInternalIPs: [first.api], ingressIPs: [first.ingress] });
  const removed = await becomes((status) => status.conditions?.[0]?.status === "False");
  assert.deepEqual(removed.platformStatus?.baremetal, firstPair);
});

test("[VIP-10, VIP-11] an applied spec leads to VIPs, a status nobody may write gives way, and a taken address is refused", async () => {
  await using server = await startServer();
  await using cluster = controlled(server);
  const { resource, becomes, client } = cluster;
  const inForce = { ...firstPair, ...bothPairs };
  const { status: _, ...applied } = baremetal({}, bothPairs);
  await resource.create(applied);
  await becomes((status) => isDeepStrictEqual(status.platformStatus?.baremetal, inForce));

  for (const apiServerInternalIPs of [["192.168.111.9", "fd00:111::5"], []]) {
    const written = { platformStatus: { baremetal: { apiServerInternalIPs } } };
    await resource.patchStatus(place, { merge: { status: written } });
    const [asked = "nobody"] = apiServerInternalIPs;
    await becomes(
      (status) =>
        isDeepStrictEqual(status.platformStatus?.baremetal, inForce) &&
        status.conditions
          ?.find(({ type }) => type === "StatusOverruled")
          ?.message.includes(asked) !==
          (asked === "nobody"),
    );
  }

  const rubbish = { platformStatus: { baremetal: { apiServerInternalIPs: ["foo", "bar"] } } };
  await assert.rejects(resource.patchStatus(place, { merge: { status: rubbish } }), isInvalid);

  const { metadata, ...rest } = await resource.get(place);
  const { resourceVersion: __, uid: ___, creationTimestamp: ____, ...kept } = metadata;
  await resource.delete(place);
  await resource.create({ ...rest, metadata: kept });
  await becomes((status) => isDeepStrictEqual(status.platformStatus?.baremetal, inForce));

  const addresses = [{ type: "InternalIP" as const, address: "fd00:111::20" }];
  const nodes = client.resource("v1", "Node");
  await nodes.create({ metadata: { name: "master-0" }, spec: {} });
  await nodes.patchStatus({ name: "master-0" }, { merge: { status: { addresses } } });
  const vips = [first.api, "fd00:111::20"];
  const spec = { platformSpec: { baremetal: { apiServerInternalIPs: vips } } };
  await resource.patch(place, { merge: { spec } });
  const refused = await becomes((status) => status.conditions?.[0]?.status === "True");
  assert.match(refused.conditions?.[0]?.message ?? "", /is the address of node master-0/);
  await nodes.delete({ name: "master-0" });
  await becomes((status) =>
    isDeepStrictEqual(status.platformStatus?.baremetal?.apiServerInternalIPs, vips),
  );
});

const place = { name: "cluster" };

/** The controller beside a server. */
function controlled(server: Awaited<ReturnType<typeof startServer>>) {
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
  const stop = new AbortController();
  const running = runAll(
    [
      { name: "informers", run: (signal: AbortSignal) => informers.run(signal) },
      infrastructureController({
        ...settings,
        client,
        informers,
        recorder,
        podNetworks: [],
        serviceNetworks: [],
      }),
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

  return {
    client,
    resource,
    events,
    becomes,
    recorded: () => recorder.idle(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      client.transport.close();
    },
  };
}
