// Claims, volumes, metrics and priorities in a whole cluster.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type DisposableCluster, disposableCluster } from "./cluster.fixture.ts";

const image = "tandem.internal/host";

describe("[API-14] claims", { timeout: 300_000 }, () => {
  let cluster: DisposableCluster;
  before(async () => {
    cluster = await disposableCluster({ nodes: 2, dns: false, allowHostImage: "default" });
    await cluster.up();
  });
  after(() => cluster[Symbol.asyncDispose]());

  const get = async (...args: string[]) => (await cluster.kubectl.run("get", ...args)).trim();
  const apply = (...objects: object[]) => {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
    return cluster.kubectl.pipe(list, "apply", "-f", "-");
  };
  const field = (what: string, path: string) => get(what, "-o", `jsonpath={${path}}`);
  const until = (what: string, path: string, wanted: RegExp) =>
    cluster.until(`${what} ${path}`, async () => {
      const found = await field(what, path).catch(() => "");
      return wanted.test(found) ? found : undefined;
    });
  const claim = (name: string, spec: object = {}) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } }, ...spec },
  });
  const pod = (name: string, script: string, spec: object = {}) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 0,
      restartPolicy: "Never",
      containers: [
        {
          name: "main",
          image,
          command: ["sh", "-c", script],
          volumeMounts: [
            { name: "data", mountPath: "/data" },
            { name: "data", mountPath: "/part", subPath: "a/b" },
          ],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: name.replace(/-.*/, "") } }],
      ...spec,
    },
  });

  test("become directories on the node of the first pod, which later pods find again", async () => {
    await apply(claim("kept"), pod("kept-1", "echo first > /data/who; echo x > /part/y"));
    await until("pod/kept-1", ".status.phase", /Succeeded/);
    const node = await field("pod/kept-1", ".spec.nodeName");
    await apply(pod("kept-2", "cat /data/who /data/a/b/y"));
    await until("pod/kept-2", ".status.phase", /Succeeded/);
    assert.equal(await field("pod/kept-2", ".spec.nodeName"), node);
    assert.equal(await cluster.kubectl.run("logs", "kept-2"), "first\nx\n");
    const volume = await field("pvc/kept", ".spec.volumeName");
    const directory = join(cluster.directory, "data/nodes", node, "pods/claims", volume);
    assert(existsSync(join(directory, "who")), directory);
    await cluster.kubectl.run("delete", "pod", "kept-1", "kept-2");
    await cluster.kubectl.run("delete", "pvc", "kept");
    await cluster.until("the volume is gone", async () =>
      (await get("pv", "-o", "name")) === "" ? true : undefined,
    );
    assert(!existsSync(directory), "the directory went with the claim");
  });

  test("[SEC-1] give nothing of the host to those who only write claims and pods", async () => {
    const volume = (name: string, spec: object) => ({
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        storageClassName: "manual",
        ...spec,
      },
    });
    const hostname = { key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] };
    const terms = [{ matchExpressions: [hostname] }];
    await apply(
      volume("others", { hostPath: { path: "/etc" }, claimRef: { namespace: "x", name: "y" } }),
      volume("there", {
        local: { path: "/etc" },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      }),
    );
    const says = { "pv.kubernetes.io/bind-completed": "yes" };
    const thief = claim("thief", { storageClassName: "manual", volumeName: "others" });
    await apply(
      { ...thief, metadata: { name: "thief", annotations: says } },
      pod("thief-1", "sleep 60", { nodeName: "node-2" }),
      claim("bypass", { storageClassName: "manual", volumeName: "there" }),
    );
    await until("pvc/bypass", ".status.phase", /Bound/);
    // The path is on both nodes; the claim is about one of them.
    await apply(pod("bypass-1", "sleep 60", { nodeName: "node-2" }));
    const message = async (name: string) =>
      await cluster.until(`an event of ${name}`, async () => {
        const selector = `involvedObject.name=${name},reason=FailedMount`;
        const found = await get(
          "events",
          "--field-selector",
          selector,
          "-o",
          "jsonpath={..message}",
        );
        return found === "" ? undefined : found;
      });
    assert.match(await message("bypass-1"), /is not on this node/);
    assert.match(await message("thief-1"), /"thief" is not bound/);
    await cluster.kubectl.run("delete", "pod", "bypass-1", "thief-1");
  });

  test("[API-13] a pod of higher priority takes the place of another", async () => {
    const priority = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "high" },
      value: 1000,
    };
    const patch = JSON.stringify([
      { op: "add", path: "/status/capacity/example.com~1slot", value: "1" },
    ]);
    await cluster.kubectl.run(
      "patch",
      "node",
      "node-1",
      "--subresource=status",
      "--type=json",
      "-p",
      patch,
    );
    await until("node/node-1", ".status.allocatable.example\\.com/slot", /1/);
    const slots = (name: string, spec: object) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "main",
            image,
            command: ["sleep", "600"],
            resources: { limits: { "example.com/slot": "1" } },
          },
        ],
        ...spec,
      },
    });
    await apply(priority, slots("low", {}));
    await until("pod/low", ".status.phase", /Running/);
    await apply(slots("high", { priorityClassName: "high" }));
    await until("pod/high", ".status.phase", /Running/);
    assert.equal(await get("pod", "low", "--ignore-not-found", "-o", "name"), "");
    await cluster.until("what the pod uses", async () => {
      const found = await cluster.kubectl.run("top", "pods", "--no-headers").catch(() => "");
      return /^high +\d+m +\d+Mi/m.test(found) ? true : undefined;
    });
    assert.match(await cluster.kubectl.run("top", "nodes"), /^node-2 +\d+m/m);
  });
});
