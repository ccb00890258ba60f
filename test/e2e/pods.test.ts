// Real pods on a real node: what they see, how they begin and end.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openPodNode, type PodNode, scripted } from "./pods.fixture.ts";

const definitions = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  plural: "network-attachment-definitions",
  kind: "NetworkAttachmentDefinition",
  namespaced: true,
};

describe("a pod", { timeout: 240_000 }, () => {
  let node: PodNode;
  before(async () => {
    node = await openPodNode({ serviceCidr: "fd00:96::/112,10.96.0.0/16" });
  });
  after(() => node[Symbol.asyncDispose]());

  test("[POD-5] [POD-6] [POD-7] [POD-8] [PROP-4] [MODEL-5] knows who it is", async () => {
    const field = (name: string, fieldPath: string) => ({
      name,
      valueFrom: { fieldRef: { fieldPath } },
    });
    const env = [field("MY_POD_IPS", "status.podIPs"), field("MY_HOST_IPS", "status.hostIPs")];
    const script =
      "hostname; cat /etc/hostname; env; ip -brief addr show eth0; cat /etc/hosts; echo done; exec sleep 1000";
    const { status } = await node.run("self", { script, container: { env } });
    const [first, second] = status?.podIPs ?? [];
    assert.match(first?.ip ?? "", /^fd00:10:244:/);
    assert.match(second?.ip ?? "", /^10\.244\./);
    assert.equal(first?.properties?.["tandem.internal/interface"], "eth0");
    assert.ok(first?.properties?.["tandem.internal/gateway"]);
    assert.deepEqual(status?.hostIPs, [{ ip: "2001:db8::1" }, { ip: "192.0.2.1" }]);
    const log = await node.said("self", "done\n");
    assert.ok(log.startsWith("self\nself\n"), log);
    assert.match(log, /^HOSTNAME=self$/m);
    assert.ok(log.includes(`MY_POD_IPS=${first?.ip},${second?.ip}\n`), log);
    assert.ok(log.includes("MY_HOST_IPS=2001:db8::1,192.0.2.1\n"), log);
    for (const { ip } of [first, second].filter((each) => each !== undefined)) {
      assert.ok(log.includes(`${ip}/`), `eth0 has ${ip}: ${log}`);
      assert.ok(log.includes(`${ip}\tself\n`), `the hosts file has ${ip}: ${log}`);
    }
  });

  test("[SVC-7] is told of services in both styles and by family", async () => {
    await node.client.resource("v1", "Service").create({
      metadata: { namespace: "default", name: "my-web" },
      spec: { ipFamilyPolicy: "RequireDualStack", ports: [{ name: "http", port: 80 }] },
    });
    const script = "env; echo done; exec sleep 1000";
    const [seen, blind] = [
      { script },
      { script, spec: { enableServiceLinks: false, containers: [scripted("main", script)] } },
    ];
    await node.run("linked", seen);
    const log = await node.said("linked", "done\n");
    assert.match(log, /^MY_WEB_SERVICE_HOST=fd00:96::/m);
    assert.match(log, /^MY_WEB_SERVICE_HOST_IPV4=10\.96\./m);
    assert.match(log, /^MY_WEB_SERVICE_PORT_HTTP=80$/m);
    assert.match(log, /^MY_WEB_PORT_80_TCP=tcp:\/\/\[fd00:96::.*\]:80$/m);
    assert.match(log, /^KUBERNETES_SERVICE_HOST=fd00:96::1$/m);
    await node.run("unlinked", blind);
    assert.doesNotMatch(await node.said("unlinked", "done\n"), /MY_WEB/);
  });

  test("[MODEL-1] has one network for all its containers, and its init containers run first", async () => {
    await node.run("shared", {
      spec: {
        volumes: [{ name: "work", emptyDir: {} }],
        initContainers: [
          scripted("one", "echo one >> /work/order", {
            volumeMounts: [{ name: "work", mountPath: "/work" }],
          }),
          scripted("two", "echo two >> /work/order", {
            volumeMounts: [{ name: "work", mountPath: "/work" }],
          }),
        ],
        containers: [
          scripted("serve", "exec socat TCP6-LISTEN:7000,fork,reuseaddr SYSTEM:'echo from-serve'"),
          scripted(
            "ask",
            "cat /work/order; until socat -u TCP6:[::1]:7000 STDOUT; do sleep 0.1; done; readlink /proc/self/ns/net; exec sleep 1000",
            { volumeMounts: [{ name: "work", mountPath: "/work" }] },
          ),
        ],
      },
    });
    await node.eventually("an answer on localhost", async () =>
      (await node.log("shared", "ask")).includes("net:"),
    );
    assert.match(await node.log("shared", "ask"), /^one\ntwo\n[^]*from-serve\n/);
  });

  test("that fails begins again; its last words are kept", async () => {
    const script = "echo I tried > /dev/termination-log; exit 3";
    await node.create("failing", { script });
    const { status } = await node.until("failing", (pod) => {
      const [main] = pod?.status?.containerStatuses ?? [];
      return (main?.restartCount ?? 0) >= 1 && main?.state?.waiting?.reason === "CrashLoopBackOff";
    });
    const [main] = status?.containerStatuses ?? [];
    assert.equal(main?.lastState?.terminated?.exitCode, 3);
    assert.equal(main?.lastState?.terminated?.message, "I tried\n");
    // They are written beside the status, some a little later.
    const wanted = ["Pulled", "Created", "Started", "BackOff"];
    await node.eventually("events of the container", async () => {
      const { items } = await node.client.resource("v1", "Event").list({ namespace: "default" });
      const own = items.filter(({ involvedObject }) => involvedObject.name === "failing");
      return wanted.every((reason) => own.some((event) => event.reason === reason));
    });
  });

  test("that is done has succeeded, and gives its addresses back", async () => {
    await node.create("done", {
      script: "exit 0",
      spec: {
        restartPolicy: "Never",
        nodeName: "node-1",
        containers: [scripted("main", "exit 0")],
      },
    });
    const { status, metadata } = await node.until(
      "done",
      (pod) => pod?.status?.phase === "Succeeded",
    );
    const namespace = join(node.node.runDir, "pods/pods", metadata.uid ?? "", "net");
    await node.eventually("its network to be gone", async () => !existsSync(namespace));
    assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.reason, "Completed");
    assert.equal(status?.conditions?.find(({ type }) => type === "Ready")?.reason, "PodCompleted");
  });

  test("whose image cannot be had says so", async () => {
    await node.create("imageless", { container: { image: "localhost:1/none:1" } });
    const { status } = await node.until("imageless", (pod) =>
      /^(?:ErrImagePull|ImagePullBackOff)$/.test(
        pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? "",
      ),
    );
    assert.match(
      status?.containerStatuses?.[0]?.state?.waiting?.message ?? "",
      /localhost:1\/none:1/,
    );
  });

  test("[MODEL-5] in the node's network has the node's addresses and its name", async () => {
    const { status } = await node.run("host", {
      spec: {
        hostNetwork: true,
        containers: [
          scripted(
            "main",
            "ip -brief addr show eth0; echo $(hostname) $HOSTNAME $(cat /etc/hostname); echo done; exec sleep 1000",
          ),
        ],
      },
    });
    assert.deepEqual(
      status?.podIPs?.map(({ ip }) => ip),
      ["2001:db8::1", "192.0.2.1"],
    );
    const said = await node.said("host", "done\n");
    assert.match(said, /192\.0\.2\.1\/24/);
    const { spec } = await node.until("host", () => true);
    const name = spec.nodeName ?? "";
    assert.ok(name !== "" && said.includes(`${name} ${name} ${name}\n`), said);
  });

  test("[POD-5] [PROP-4] [PROP-5] [CNI-4] has further networks, marked and claimed", async () => {
    const network = {
      cniVersion: "1.0.0",
      type: "bridge",
      bridge: "blue",
      isGateway: true,
      ipam: {
        type: "host-local",
        dataDir: join(node.cluster.lan.scratch, "blue"),
        ranges: [[{ subnet: "10.9.0.0/24" }], [{ subnet: "fd00:9::/64" }]],
      },
    };
    const metadata = { namespace: "default", name: "blue" };
    await node.client
      .custom(definitions)
      .create({ metadata, spec: { config: JSON.stringify(network) } });
    const claim = "service.kubernetes.io/service-controller-name";
    const wish = JSON.stringify([{ name: "blue", [claim]: "other" }]);
    const annotations = { "k8s.v1.cni.cncf.io/networks": wish };
    const { status } = await node.run("further", { metadata: { annotations } });
    const [first, second, ...further] = status?.podIPs ?? [];
    for (const own of [first, second]) {
      assert.equal(own?.properties?.["tandem.internal/network"], undefined);
      assert.equal(own?.properties?.["tandem.internal/default-network"], "tandem");
    }
    assert.deepEqual(
      further.map(({ properties = {} }) => [
        properties["tandem.internal/network"],
        properties["tandem.internal/interface"],
        properties[claim],
      ]),
      [
        ["default/blue", "net1", "other"],
        ["default/blue", "net1", "other"],
      ],
    );
  });

  test("[CNI-1] whose further network is broken says why, and can be deleted", async () => {
    const ipam = { type: "tandem-ipam", datastore: "local", range: "10.8.0.0/24", exclude: ["x"] };
    const config = JSON.stringify({ cniVersion: "1.0.0", type: "bridge", bridge: "broken", ipam });
    await node.client
      .custom(definitions)
      .create({ metadata: { namespace: "default", name: "broken" }, spec: { config } });
    const annotations = { "k8s.v1.cni.cncf.io/networks": "broken" };
    await node.create("unattached", { metadata: { annotations } });
    let message = "";
    await node.eventually("an event of the failure", async () => {
      const { items } = await node.client.resource("v1", "Event").list({ namespace: "default" });
      const event = items.find(
        ({ involvedObject, reason }) =>
          involvedObject.name === "unattached" && reason === "FailedCreatePodSandBox",
      );
      message = event?.message ?? "";
      return event !== undefined;
    });
    assert.match(message, /Cannot ADD with plugin bridge: .*exclude\[0\] "x"/);
    assert.doesNotMatch(message, /undo|DEL/);
    await node.pods.delete({ namespace: "default", name: "unattached" });
    await node.until("unattached", (pod) => pod === undefined);
  });

  test("with an ephemeral container beside runs on, and that one runs once", async () => {
    await node.run("debugged", {});
    const body = { spec: { ephemeralContainers: [scripted("debug", "echo here")] } };
    await node.client.transport.send({
      method: "PATCH",
      path: "/api/v1/namespaces/default/pods/debugged/ephemeralcontainers",
      headers: { "content-type": "application/strategic-merge-patch+json" },
      body: JSON.stringify(body),
    });
    const { status } = await node.until(
      "debugged",
      (pod) => pod?.status?.ephemeralContainerStatuses?.[0]?.state?.terminated !== undefined,
    );
    assert.equal(status?.ephemeralContainerStatuses?.[0]?.restartCount, 0);
    assert.equal(status?.phase, "Running");
    assert.equal(await node.log("debugged", "debug"), "here\n");
  });

  test("that is deleted is asked first, and leaves nothing", async () => {
    const preStop = { exec: { command: ["sh", "-c", "echo bye > /proc/1/fd/1"] } };
    await node.run("polite", {
      script: "trap 'echo term; exit 0' TERM; echo ready; while :; do sleep 0.1; done",
      container: { lifecycle: { preStop } },
      metadata: { finalizers: ["example.com/look"] },
    });
    await node.said("polite", "ready\n");
    await node.pods.delete({ namespace: "default", name: "polite" }, { gracePeriodSeconds: 30 });
    const { status } = await node.until("polite", (pod) => pod?.status?.phase === "Succeeded");
    assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 0);
    await node.pods.patch(
      { namespace: "default", name: "polite" },
      { merge: { metadata: { finalizers: null } } },
    );
    await node.until("polite", (pod) => pod === undefined);
    await node.pods.deleteCollection({ namespace: "default" });
    await node.eventually("nothing to be left", async () => (await node.traces()).length === 0);
  });
});
