import assert from "node:assert/strict";
import { test } from "node:test";
import { isMissingPlugin, isNotAvailable } from "./error.ts";
import { FakePluginError } from "./testing/fake-plugins.ts";
import { newer, older, openFakeRuntime, pod, podNetwork } from "./testing/runtime.ts";

test("[CNI-1] GC deletes what is on record and not valid, then tells those that know GC", async () => {
  const { plugins, runtime } = openFakeRuntime();
  for (const container of ["c1", "c2"]) await runtime.add(podNetwork(), { ...pod, container });
  await runtime.add(podNetwork({ name: "other" }), { ...pod, interface: "net1" });
  plugins.pluginCalls.length = 0;

  await runtime.collect(podNetwork(), async () => [{ container: "c2", interface: "eth0" }]);
  assert.deepEqual(plugins.trace, ["DEL portmap c1/eth0", "DEL bridge c1/eth0", "GC tandem-ipam"]);
  const [call] = plugins.of("GC");
  assert.deepEqual(call?.stdin, {
    type: "bridge",
    ipam: { type: "tandem-ipam" },
    cniVersion: "1.1.0",
    name: "pods",
    "cni.dev/valid-attachments": [{ containerID: "c2", ifname: "eth0" }],
  });
  assert.equal(call?.environment["CNI_CONTAINERID"], undefined);
  assert.deepEqual(
    (await runtime.attached()).map((one) => `${one.container}/${one.interface} ${one.network}`),
    ["c1/net1 other", "c2/eth0 pods"],
  );
});

test("[CNI-1] GC is for those that allow it, and one that fails keeps none from it", async () => {
  const { plugins, runtime } = openFakeRuntime();
  await runtime.collect(podNetwork({ disableGC: true }), async () => []);
  await runtime.collect(podNetwork({}, "1.0.0"), async () => []);
  assert.equal(plugins.of("GC").length, 0);
  plugins.install("bridge", newer, () => {
    throw new FakePluginError({ code: 5, msg: "stuck" });
  });
  await assert.rejects(
    runtime.collect(podNetwork(), async () => []),
    /Cannot GC with plugin bridge: stuck/,
  );
  assert.deepEqual(
    plugins.of("GC").map(({ plugin }) => plugin),
    ["bridge", "tandem-ipam"],
  );
  plugins.install("portmap", newer).uninstall("bridge");
  await assert.rejects(
    runtime.collect(podNetwork(), async () => []),
    isMissingPlugin,
  );
  assert.equal(plugins.of("GC").at(-1)?.plugin, "portmap");
});

test("[CNI-1] nothing else happens during GC", async () => {
  const { plugins, runtime } = openFakeRuntime();
  const { promise: hold, resolve: go } = Promise.withResolvers<undefined>();
  plugins.install("tandem-ipam", newer, () => hold);
  const collecting = runtime.collect(podNetwork(), async () => []);
  const adding = runtime.add(podNetwork(), pod);
  await new Promise(setImmediate);
  assert.deepEqual([plugins.of("GC").length, plugins.of("ADD").length], [1, 0]);
  go(undefined);
  await Promise.all([collecting, adding]);
  assert.equal(plugins.of("ADD").length, 2);
});

test("[CNI-1] GC keeps an attachment that was being made when it was asked for", async () => {
  const { plugins, runtime } = openFakeRuntime();
  const adding = runtime.add(podNetwork(), pod);
  const collecting = runtime.collect(podNetwork(), () => runtime.attached());
  await Promise.all([adding, collecting]);
  assert.deepEqual([plugins.of("DEL").length, (await runtime.attached()).length], [0, 1]);
});

test("[CNI-1] STATUS is asked of the plugin, or of its IPAM plugin when only that one knows it", async () => {
  const { plugins, runtime } = openFakeRuntime();
  await runtime.status(podNetwork());
  assert.deepEqual(
    plugins.of("STATUS").map(({ plugin }) => plugin),
    ["tandem-ipam"],
  );
  plugins.install("tandem-ipam", newer, () => {
    throw new FakePluginError({ code: 50, msg: "10.0.0.0/30 is full" });
  });
  await assert.rejects(runtime.status(podNetwork()), isNotAvailable);
  plugins.install("bridge", newer);
  await runtime.status(podNetwork());
  assert.equal(plugins.of("STATUS").at(-1)?.plugin, "bridge");
  plugins.install("bridge", older).install("tandem-ipam", newer).uninstall("portmap");
  await assert.rejects(runtime.status(podNetwork()), /no such program/);
});
