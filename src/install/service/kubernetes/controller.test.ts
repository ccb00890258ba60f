import assert from "node:assert/strict";
import { test } from "node:test";
import { Informers } from "../../../api/client/informer.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { runAll } from "../../../base/program/run-all.ts";
import { ClusterService } from "../clusters/service.ts";
import { ClusterStore } from "../clusters/store.ts";
import { migrate } from "../database/migrate.ts";
import { openDatabase } from "../database/open.ts";
import { installController } from "./controller.ts";
import {
  type AgentClusterInstall,
  agentClusterInstalls,
  type ClusterDeployment,
  clusterDeployments,
} from "./objects.ts";

const place = { namespace: "clusters", name: "ostest" };
const [v4, v6] = ["192.168.111.5", "fd00:111::5"];
const [ingress4, ingress6] = ["192.168.111.4", "fd00:111::4"];
const networking = { machineNetwork: [{ cidr: "192.168.111.0/24" }, { cidr: "fd00:111::/64" }] };
const install: AgentClusterInstall = {
  apiVersion: "extensions.hive.openshift.io/v1beta1",
  kind: "AgentClusterInstall",
  metadata: place,
  spec: {
    clusterDeploymentRef: { name: "deployment" },
    imageSetRef: { name: "openshift-v4.16.2" },
    apiVIP: v4,
    ingressVIP: ingress4,
    networking,
  },
};
const deployment: ClusterDeployment = {
  apiVersion: "hive.openshift.io/v1",
  kind: "ClusterDeployment",
  metadata: { namespace: place.namespace, name: "deployment" },
  spec: { clusterName: "ostest", baseDomain: "example.com" },
};

test("[VIP-6] the Kubernetes form decides, and is told how it went", async () => {
  const db = openDatabase("sqlite::memory:");
  await migrate(db);
  const clock = new FakeClock();
  let ids = 0;
  const store = new ClusterStore(db, {
    now: () => new Date(clock.now()),
    newId: () => `c${++ids}`,
  });
  const api = new FakeApi();
  const log = createLog({ write: () => undefined, format: "json" });
  const settings = { clock, random: new FakeRandom(), log };
  const informers = new Informers(settings);
  const controller = installController({ ...settings, client: api.client, informers, store });
  const installs = api.client.custom<AgentClusterInstall>(agentClusterInstalls);
  const deployments = api.client.custom<ClusterDeployment>(clusterDeployments);
  const stop = new AbortController();
  const following = { name: "informers", run: (signal: AbortSignal) => informers.run(signal) };
  const running = runAll([following, controller], stop.signal);
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await clock.advance(100);
    await controller.idle();
    return store.findByKube(place);
  };
  const synced = async () => (await installs.get(place)).status?.conditions?.[0];

  await installs.create(install);
  assert.equal(await settle(), undefined);
  assert.match(
    (await synced())?.message ?? "",
    /input error: .*ClusterDeployment clusters\/deployment was not found/,
  );

  await deployments.create(deployment);
  const created = await settle();
  assert.deepEqual(created?.api_vips, [v4]);
  assert.equal(created?.openshift_version, "4.16.2");
  assert.equal((await synced())?.status, "True");

  const both = { apiVIPs: [v4, v6], ingressVIPs: [ingress4, ingress6] };
  await installs.patch(place, { merge: { spec: both } });
  assert.deepEqual((await settle())?.ingress_vips, [ingress4, ingress6]);
  const { status } = await installs.get(place);
  assert.deepEqual([status?.apiVIP, status?.apiVIPs], [v4, [v4, v6]]);

  await installs.patch(place, { merge: { spec: { apiVIP: "192.168.111.9" } } });
  assert.deepEqual((await settle())?.api_vips, [v4, v6], "what is refused changes nothing");
  assert.match((await synced())?.message ?? "", /apiVIP must be the same as the first element/);

  await installs.patch(place, { merge: { spec: { apiVIP: v4 } } });
  const mended = await settle();
  assert.ok(mended !== undefined);
  await store.update(mended.id, mended.generation, { ...mended, name: "behind-its-back" });
  await clock.advance(61_000);
  assert.equal((await settle())?.name, "ostest", "the object decides");

  const [misspelled, corrected]: readonly object[] = [{ apiVips: [v4] }, { apiVips: null }];
  await installs.patch(place, { merge: { spec: misspelled ?? {} } });
  await settle();
  assert.match(
    (await synced())?.message ?? "",
    /spec\.apiVips: unknown field, did you mean apiVIPs/,
  );
  await installs.patch(place, { merge: { spec: corrected ?? {} } });
  await settle();

  const service = new ClusterService(store, { isKubernetesKept: true });
  const refusal = /is kept in step with AgentClusterInstall clusters\/ostest; change that instead/;
  const { id } = mended;
  await assert.rejects(service.update(id, { name: "x" }), refusal);
  await assert.rejects(service.delete(id), refusal);
  assert.equal((await new ClusterService(store).update(id, { name: "x" })).name, "x");

  await installs.delete(place);
  assert.equal(await settle(), undefined);
  stop.abort();
  await running;
  await db.destroy();
});

test("[VIP-6] clusters whose object went while nobody looked go, too", async () => {
  const db = openDatabase("sqlite::memory:");
  await migrate(db);
  const clock = new FakeClock();
  const store = new ClusterStore(db, { now: () => new Date(), newId: () => "left" });
  const fields = {
    name: "left",
    base_dns_domain: "example.com",
    openshift_version: "",
    api_vips: [],
    ingress_vips: [],
    machine_networks: [],
    cluster_networks: [],
    service_networks: [],
    user_managed_networking: false,
    vip_dhcp_allocation: false,
  };
  await store.create(fields, place);
  const log = createLog({ write: () => undefined, format: "json" });
  const settings = { clock, random: new FakeRandom(), log };
  const informers = new Informers(settings);
  const { client } = new FakeApi();
  const controller = installController({ ...settings, client, informers, store });
  const stop = new AbortController();
  const following = { name: "informers", run: (signal: AbortSignal) => informers.run(signal) };
  const running = runAll([following, controller], stop.signal);
  for (let turn = 0; turn < 5; turn++) await clock.advance(100);
  await controller.idle();
  assert.deepEqual(await store.list(), []);
  stop.abort();
  await running;
  await db.destroy();
});
