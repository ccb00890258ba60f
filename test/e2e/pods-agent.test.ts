// Pods and the agent that looks after them: what happens to the one when the other dies.
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { stringify } from "yaml";
import type { Pod } from "../../src/api/types/core.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { hostImage, isReady, openPodNode, type PodNode, reboot } from "./pods.fixture.ts";

const commands = systemCommands();

describe("the agent of a node", { timeout: 240_000 }, () => {
  let node: PodNode;
  let manifests: string;
  before(async () => {
    node = await openPodNode({
      agentWords: (scratch) => [`--static-pods=${join(scratch, "manifests")}`],
    });
    manifests = join(node.cluster.lan.scratch, "manifests");
  });
  after(() => node[Symbol.asyncDispose]());

  const addresses = ({ status }: Pod) => status?.podIPs?.map(({ ip }) => ip);
  const containerId = ({ status }: Pod) => status?.containerStatuses?.[0]?.containerID;
  const startedAt = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.running?.startedAt;

  test("[CNI-5] is killed and comes back: what ran runs on, with its addresses", async () => {
    const script = "i=0; while :; do echo $i; i=$((i + 1)); sleep 0.1; done";
    const first = await node.run("steady", { script });
    await node.run("deleted", {});
    await node.node.agent.kill();
    await node.pods.delete({ namespace: "default", name: "deleted" }, { gracePeriodSeconds: 0 });
    await node.create("new", {});
    await node.node.agent.start();
    await node.until("new", isReady);
    const second = await node.until("steady", isReady);
    assert.deepEqual(second.status, first.status);
    await node.until("deleted", (pod) => pod === undefined);
    const numbers = (await node.log("steady")).trim().split("\n").map(Number);
    assert.deepEqual(numbers, [...numbers.keys()], "it counted on");
  });

  test("[CNI-5] makes a sandbox that died again, with the same addresses", async () => {
    const first = await node.run("lost", { script: "exec sleep 1000" });
    const { uid = "" } = first.metadata;
    await commands.run(["umount", "--lazy", join(node.node.runDir, "pods/pods", uid, "net")]);
    const { pid } = (await containerOf(first)) ?? {};
    await commands.run(["kill", "-9", String(pid)]);
    const second = await node.until(
      "lost",
      (pod) => isReady(pod) && pod !== undefined && containerId(pod) !== containerId(first),
    );
    assert.deepEqual(addresses(second), addresses(first));
    assert.notEqual(startedAt(second), undefined);
    const { stdout } = await commands.run(["ip", "-brief", "addr", "show", "eth0"], {
      namespace: join(node.node.runDir, "pods/pods", uid, "net"),
    });
    for (const ip of addresses(second) ?? []) assert.ok(stdout.includes(`${ip}/`), stdout);
  });

  test("[CNI-5] after a reboot everything is made again, with the same addresses", async () => {
    const first = await node.run("rebooted", {});
    await node.node.agent.kill();
    await reboot(node);
    await node.node.agent.start();
    const second = await node.until(
      "rebooted",
      (pod) => isReady(pod) && pod?.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    assert.deepEqual(addresses(second), addresses(first));
    assert.notEqual(containerId(second), containerId(first));
    assert.ok(second.status?.containerStatuses?.[0]?.lastState?.terminated);
  });

  test("runs static pods from files, with a mirror that comes back", async () => {
    await mkdir(manifests, { recursive: true });
    const manifest = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "local", labels: { app: "local" } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image: hostImage, command: ["sleep", "1000"] }],
      },
    };
    await writeFile(join(manifests, "local.yaml"), stringify(manifest));
    const mirror = await node.until("local-node-1", isReady);
    assert.equal(mirror.metadata.labels?.["app"], "local");
    assert.equal(addresses(mirror)?.length, 2);
    await node.pods.delete(
      { namespace: "default", name: "local-node-1" },
      { gracePeriodSeconds: 0 },
    );
    const again = await node.until(
      "local-node-1",
      (pod) => isReady(pod) && pod?.metadata.uid !== mirror.metadata.uid,
    );
    assert.equal(containerId(again), containerId(mirror));
    await rm(join(manifests, "local.yaml"));
    await node.until("local-node-1", (pod) => pod === undefined);
  });

  test("[CNI-3] says why a pod gets no address", async () => {
    const annotations = { "k8s.v1.cni.cncf.io/networks": "missing" };
    await node.create("waiting", { metadata: { annotations } });
    await node.eventually("an event", async () => {
      const { items } = await node.client.resource("v1", "Event").list({ namespace: "default" });
      return items.some(
        ({ reason, involvedObject, message = "" }) =>
          reason === "FailedCreatePodSandBox" &&
          involvedObject.name === "waiting" &&
          message.includes("missing"),
      );
    });
    const { status } = await node.until(
      "waiting",
      (pod) => pod?.status?.containerStatuses !== undefined,
    );
    assert.equal(status?.containerStatuses?.[0]?.state?.waiting?.reason, "ContainerCreating");
  });

  async function containerOf({ status }: Pod): Promise<{ readonly pid: number } | undefined> {
    const id = status?.containerStatuses?.[0]?.containerID?.replace("tandem://", "") ?? "";
    const root = join(node.node.dataDir, "containers/runtime");
    const { stdout } = await commands.run(["runc", "--root", root, "state", id]);
    return JSON.parse(stdout) as { readonly pid: number };
  }
});
