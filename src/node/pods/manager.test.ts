import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeCommands } from "../../base/host/command.fake.ts";
import { isReady, TestNode } from "./testing/node.ts";
import { podOf } from "./testing/pod.ts";

describe("pods of a node", () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await TestNode.open();
  });
  afterEach(() => node[Symbol.asyncDispose]());

  /**
   * Time stands still in tests that count writes, since changes that are not urgent are written after half a
   * second.
   */
  const openStill = () => TestNode.open({ clock: new FakeClock() });
  const reasons = () => node.remarks.map(({ reason }) => reason);
  const held = { metadata: { finalizers: ["example.com/hold"] } };

  test("[POD-6] a pod becomes ready with its addresses, in one write", async () => {
    await using still = await openStill();
    await still.create(podOf("web"));
    const { status } = await still.until("web", isReady);
    assert.equal(status?.phase, "Running");
    assert.deepEqual(
      status?.podIPs?.map(({ ip }) => ip),
      ["fd00::1", "10.0.0.1"],
    );
    assert.equal(status?.podIP, "fd00::1");
    assert.deepEqual(status?.hostIPs, [{ ip: "2001:db8::1" }, { ip: "192.0.2.1" }]);
    assert.equal(status?.containerStatuses?.[0]?.imageID, "sha256:image");
    assert.deepEqual(
      still.remarks.map(({ reason }) => reason),
      ["Pulling", "Pulled", "Created", "Started"],
    );
    const writes = still.api.asked.filter((asked) => asked.startsWith("PATCH"));
    assert.equal(writes.length, 1);
  });

  test("[SEC-5] a pod whose volume outgrows its limit while it runs is evicted", async () => {
    const commands = new FakeCommands().answer("du ", { stdout: "4096\ttotal" });
    const clock = new FakeClock();
    await using still = await TestNode.open({ clock, commands });
    const volumes = [{ name: "scratch", emptyDir: { sizeLimit: "1Mi" } }];
    await still.create(podOf("web", { spec: { volumes } }));
    await still.until("web", isReady);
    commands.answer("du ", { stdout: "2097152\ttotal" });
    const { status } = await still.eventually(async () => {
      await clock.advance(10_000);
      const pod = await still.get("web");
      return pod.status?.phase === "Failed" ? pod : undefined;
    }, "the eviction");
    assert.equal(status?.reason, "Evicted");
    assert.match(status?.message ?? "", /EmptyDir volume "scratch" exceeds the limit "1Mi"/);
  });

  test("init containers run one after the other before the others", async () => {
    const initContainers = [{ name: "one" }, { name: "two" }];
    await node.create(podOf("web", { spec: { initContainers } }));
    await node.until(
      "web",
      ({ status }) => status?.initContainerStatuses?.[0]?.state?.running !== undefined,
    );
    assert.deepEqual(node.containers.running, ["one"]);
    node.containers.end("one", 0);
    await node.eventually(async () => node.containers.running.includes("two") || undefined, "two");
    const { status } = await node.until(
      "web",
      (pod) => pod.status?.initContainerStatuses?.[0]?.state?.terminated !== undefined,
    );
    assert.equal(status?.containerStatuses?.[0]?.state?.waiting?.reason, "PodInitializing");
    node.containers.end("two", 0);
    await node.until("web", isReady);
  });

  test("a container that fails begins again, later each time", async () => {
    await node.create(podOf("web"));
    await node.until("web", isReady);
    for (const count of [1, 2, 3]) {
      node.containers.end("main", 1);
      await node.until(
        "web",
        ({ status }) => status?.containerStatuses?.[0]?.restartCount === count,
      );
    }
    const { status } = await node.until("web", isReady);
    assert.equal(status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 1);
    assert.ok(reasons().includes("BackOff"));
    assert.equal((await node.containers.list()).length, 2);
  });

  test("[CNI-1] a pod whose network cannot be undone goes, with one event", async () => {
    await node.create(podOf("web"));
    await node.until("web", isReady);
    node.network.left = ["Cannot DEL with plugin bridge: stuck"];
    await node.pods.delete({ namespace: "default", name: "web" });
    const listed = () => node.manager.containers.list().length;
    await node.eventually(async () => listed() === 0 || undefined, "its end");
    const told = node.remarks.filter(({ reason }) => reason === "NetworkNotUndone");
    assert.equal(told.length, 1);
    assert.match(told[0]?.message ?? "", /^Cannot DEL with plugin bridge: stuck: its namespace/);
    assert.ok(!reasons().includes("FailedKillPod"));
  });

  test("a pod that is not restarted ends with its containers, and gives its addresses back", async () => {
    await node.create(podOf("job", { spec: { restartPolicy: "Never" } }));
    await node.until("job", isReady);
    node.containers.end("main", 3);
    const { status } = await node.until("job", (pod) => pod.status?.phase === "Failed");
    assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3);
    await node.eventually(async () => node.network.attached.size === 0 || undefined, "addresses");
  });

  test("a pod that is deleted gets its time, then nothing is left", async () => {
    const preStop = { exec: { command: ["say", "bye"] } };
    await node.create(podOf("web", { ...held, container: { lifecycle: { preStop } } }));
    const { metadata } = await node.until("web", isReady);
    await node.pods.delete(metadata);
    await node.eventually(
      async () =>
        (node.api.asked.some((asked) => asked.startsWith("DELETE") && asked.endsWith("/web")) &&
          node.api.asked.filter((asked) => asked.startsWith("DELETE")).length > 1) ||
        undefined,
      "the object to be let go",
    );
    assert.deepEqual(node.containers.executed, ["say bye"]);
    assert.deepEqual(node.containers.signals, ["main SIGTERM"]);
    const { status } = await node.get("web");
    assert.equal(status?.phase, "Failed");
    assert.deepEqual(await node.containers.list(), []);
    assert.equal(node.network.attached.size, 0);
    for (const folder of ["run/pods", "data/pods", "logs"]) {
      assert.deepEqual(await readdir(join(node.directory, folder)), []);
    }
  });

  test("one that does not heed the signal is killed when its time is up", async () => {
    node.containers.deafTo.add("SIGTERM");
    await node.create(podOf("web", { ...held, spec: { terminationGracePeriodSeconds: 1 } }));
    const { metadata } = await node.until("web", isReady);
    await node.pods.delete(metadata);
    await node.eventually(async () => node.containers.running.length === 0 || undefined, "its end");
    assert.deepEqual(node.containers.signals, ["main SIGTERM", "main SIGKILL"]);
  });

  test("[CNI-3] without an address the pod waits, and says why", async () => {
    node.network.fault = new Error("Cannot allocate: the range is exhausted");
    await node.create(podOf("web"));
    await node.eventually(
      async () => reasons().includes("FailedCreatePodSandBox") || undefined,
      "word",
    );
    assert.match(node.remarks[0]?.message ?? "", /range is exhausted/);
    assert.deepEqual(node.containers.running, []);
    node.network.fault = undefined;
    await node.until("web", isReady);
  });

  test("an image that cannot be had is waited for", async () => {
    node.images.missing.add("image");
    await node.create(podOf("web"));
    const state = (pod: Awaited<ReturnType<typeof node.get>>) =>
      pod.status?.containerStatuses?.[0]?.state?.waiting?.reason;
    await node.until("web", (pod) => state(pod) === "ErrImagePull");
    await node.until("web", (pod) => state(pod) === "ImagePullBackOff");
    node.images.missing.clear();
    await node.until("web", isReady);
  });

  test("a pod that is deleted while its image is pulled waits for nothing", async () => {
    node.images.slow.add("image");
    await node.create(podOf("web"));
    await node.eventually(async () => reasons().includes("Pulling") || undefined, "the pull");
    await node.pods.delete({ namespace: "default", name: "web" });
    const listed = () => node.manager.containers.list().length;
    await node.eventually(async () => listed() === 0 || undefined, "its end");
    assert.equal(node.network.attached.size, 0);
  });

  test("a missing key is named, and found when it is there", async () => {
    const valueFrom = { configMapKeyRef: { name: "settings", key: "colour" } };
    await node.create(podOf("web", { container: { env: [{ name: "COLOUR", valueFrom }] } }));
    const { status } = await node.until(
      "web",
      (pod) =>
        pod.status?.containerStatuses?.[0]?.state?.waiting?.reason === "CreateContainerConfigError",
    );
    const message = status?.containerStatuses?.[0]?.state?.waiting?.message ?? "";
    assert.match(message, /spec\.containers\[0\]\.env\[0\].*configmap "settings" not found/);
    const metadata = { namespace: "default", name: "settings" };
    await node.api.client
      .resource("v1", "ConfigMap")
      .create({ metadata, data: { colour: "green" } });
    await node.until("web", isReady);
    assert.equal(node.containers.specs.get("main")?.environment["COLOUR"], "green");
  });

  test("[CNI-5] the next agent finds everything as it was, and changes nothing", async () => {
    await using still = await openStill();
    await still.create(podOf("web"));
    await still.create(podOf("gone"));
    const before = await still.until("web", isReady);
    await still.until("gone", isReady);
    await still.stop();
    const running = still.containers.running;
    assert.equal(running.length, 2);
    await still.pods.delete({ namespace: "default", name: "gone" });
    still.start();
    await still.eventually(
      async () => still.network.attached.size === 1 || undefined,
      "orphans to go",
    );
    assert.deepEqual(await still.get("web"), before);
    assert.equal(still.network.requests.length, 2);
    await still.eventually(
      async () => still.network.collected?.length === 1 || undefined,
      "collection",
    );
    still.containers.end("main", 0);
    await still.until("web", ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
  });

  test("[CNI-5] a sandbox that died is made again with the same addresses", async () => {
    await node.create(podOf("web"));
    const before = await node.until("web", isReady);
    const { uid = "" } = before.metadata;
    node.sandboxes.dead.add(node.sandboxes.records.get(uid)?.id ?? "");
    node.containers.end("main", 1);
    const after = await node.until(
      "web",
      (pod) => node.network.requests.length === 2 && isReady(pod),
    );
    assert.deepEqual(after.status?.podIPs, before.status?.podIPs);
    assert.equal(node.network.attached.size, 1);
  });

  test("a pod of the same name that came instead is another pod", async () => {
    await node.create(podOf("web"));
    const first = await node.until("web", isReady);
    await node.pods.delete(first.metadata);
    await node.create(podOf("web"));
    const second = await node.until("web", isReady);
    assert.notEqual(second.metadata.uid, first.metadata.uid);
    await node.eventually(
      async () => (await node.containers.list()).length === 1 || undefined,
      "one",
    );
    const listed = () => node.manager.containers.list().length;
    await node.eventually(async () => listed() === 1 || undefined, "the first to be forgotten");
  });

  test("files of a config map change with it, all at once", async () => {
    const configMaps = node.api.client.resource("v1", "ConfigMap");
    const metadata = { namespace: "default", name: "settings" };
    await configMaps.create({ metadata, data: { colour: "green", size: "1" } });
    const volumes = [{ name: "settings", configMap: { name: "settings", defaultMode: 0o640 } }];
    await node.create(
      podOf("web", {
        spec: { volumes },
        container: { volumeMounts: [{ name: "settings", mountPath: "/etc/settings" }] },
      }),
    );
    await node.until("web", isReady);
    const mount = node.containers.specs
      .get("main")
      ?.mounts.find(({ destination }) => destination === "/etc/settings");
    assert.equal(mount?.readOnly, true);
    const read = (key: string) => readFile(join(mount?.source ?? "", key), "utf8");
    assert.equal(await read("colour"), "green");
    await configMaps.patch(metadata, { merge: { data: { colour: "blue", size: null } } });
    await node.eventually(async () => (await read("colour")) === "blue" || undefined, "blue");
    await node.eventually(
      async () => !existsSync(join(mount?.source ?? "", "size")) || undefined,
      "size",
    );
  });

  test("a pod that goes while its volumes change leaves nothing", async () => {
    const configMaps = node.api.client.resource("v1", "ConfigMap");
    const metadata = { namespace: "default", name: "settings" };
    await configMaps.create({ metadata, data: { colour: "0" } });
    const names = Array.from({ length: 20 }, (_, index) => `v${index}`);
    const volumes = names.map((name) => ({ name, configMap: { name: "settings" } }));
    await node.create(podOf("web", { spec: { volumes } }));
    const pod = await node.until("web", isReady);
    await configMaps.patch(metadata, { merge: { data: { colour: "1" } } });
    const [uid = ""] = await readdir(join(node.directory, "run/pods"));
    const first = join(node.directory, "run/pods", uid, "volumes/v0/colour");
    await node.eventually(async () => (await readFile(first, "utf8")) === "1" || undefined, "1");
    await node.pods.delete(pod.metadata);
    const listed = () => node.manager.containers.list().length;
    await node.eventually(async () => listed() === 0 || undefined, "its end");
    await node.stop();
    assert.deepEqual(await readdir(join(node.directory, "run/pods")), []);
  });

  test("static pods run from files, with a mirror in the API", async () => {
    const manifests = join(node.directory, "manifests");
    await mkdir(manifests, { recursive: true });
    const manifest = podOf("proxy", { metadata: { namespace: "kube-system" } });
    await writeFile(
      join(manifests, "proxy.yaml"),
      JSON.stringify({ ...manifest, metadata: { name: "proxy", namespace: "kube-system" } }),
    );
    const place = { namespace: "kube-system", name: "proxy-node-a" };
    const found = () => node.pods.get(place).catch(() => undefined);
    const mirror = await node.eventually(async () => {
      const pod = await found();
      return pod !== undefined && isReady(pod) ? pod : undefined;
    }, "the mirror");
    assert.ok(mirror.metadata.annotations?.["kubernetes.io/config.mirror"]);
    await node.pods.delete(mirror.metadata);
    await node.eventually(async () => {
      const pod = await found();
      return pod !== undefined && pod.metadata.uid !== mirror.metadata.uid && isReady(pod)
        ? pod
        : undefined;
    }, "another mirror");
    assert.deepEqual(node.containers.running, ["main"]);
    await writeFile(join(manifests, "proxy.yaml"), "not: a pod");
    await node.eventually(async () => (await found()) === undefined || undefined, "no mirror");
    assert.deepEqual(node.containers.running, []);
  });
});
