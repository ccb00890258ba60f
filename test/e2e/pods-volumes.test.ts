// What real containers find in their volumes, and who may read it.
import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openPodNode, type PodNode, podFolders, scripted } from "./pods.fixture.ts";

describe("volumes of a pod", { timeout: 240_000 }, () => {
  let node: PodNode;
  before(async () => {
    node = await openPodNode();
  });
  after(() => node[Symbol.asyncDispose]());

  const place = (name: string) => ({ namespace: "default", name });
  const mount = (name: string, more: object = {}) => ({ name, mountPath: `/${name}`, ...more });

  test("show config maps and secrets, and follow them", async () => {
    const configMaps = node.client.resource("v1", "ConfigMap");
    await configMaps.create({ metadata: place("settings"), data: { colour: "green", size: "1" } });
    const data = { password: Buffer.from("open").toString("base64") };
    await node.client.resource("v1", "Secret").create({ metadata: place("keys"), data });
    const script =
      "cat /settings/colour /keys/password /one; echo; touch /settings/x; stat -Lc %a /keys/password; while :; do cat /settings/*; echo; sleep 0.1; done";
    await node.run("shown", {
      spec: {
        volumes: [
          { name: "settings", configMap: { name: "settings" } },
          { name: "keys", secret: { secretName: "keys", defaultMode: 0o400 } },
        ],
        containers: [
          scripted("main", script, {
            volumeMounts: [
              mount("settings"),
              mount("keys"),
              { name: "settings", mountPath: "/one", subPath: "size" },
            ],
          }),
        ],
      },
    });
    await node.said("shown", "greenopen1\n");
    await node.said("shown", "Read-only file system\n");
    await configMaps.patch(place("settings"), { merge: { data: { colour: "blue", size: null } } });
    await node.eventually("blue", async () => /^blue$/m.test(await node.log("shown")));
    assert.doesNotMatch(await node.log("shown"), /^blue1$/m, "never a mixture");
    assert.match(await node.log("shown"), /^400$/m);
  });

  test("[POD-8] show the pod itself with its addresses, and let it speak as its account", async () => {
    const show = (path: string, fieldPath: string) => ({ path, fieldRef: { fieldPath } });
    const items = [
      show("name", "metadata.name"),
      show("labels", "metadata.labels"),
      show("addresses", "status.podIPs"),
    ];
    const account = "/var/run/secrets/kubernetes.io/serviceaccount";
    const script = `cat /me/name; echo; cat /me/addresses; echo; ls ${account}; cat ${account}/namespace; echo; curl -sS -m 30 --cacert ${account}/ca.crt -H "Authorization: Bearer $(cat ${account}/token)" -H 'Content-Type: application/json' -d '{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}' ${node.cluster.url}/apis/authentication.k8s.io/v1/selfsubjectreviews; echo; while :; do cat /me/labels; echo; sleep 0.1; done`;
    await node.run("me", {
      metadata: { labels: { app: "me" } },
      spec: {
        volumes: [{ name: "me", downwardAPI: { items } }],
        containers: [scripted("main", script, { volumeMounts: [mount("me")] })],
      },
    });
    const log = await node.said("me", 'app="me"');
    const { status } = await node.pods.get(place("me"));
    const addresses = (status?.podIPs ?? []).map(({ ip }) => ip).join(",");
    assert.match(addresses, /,/, "both families");
    const shown = ["ca.crt", "namespace", "token", "default"];
    assert.ok(log.startsWith(["me", addresses, ...shown, ""].join("\n")), log);
    assert.match(log, /system:serviceaccount:default:default/);
    await node.pods.patch(place("me"), { merge: { metadata: { labels: { app: "you" } } } });
    await node.said("me", 'app="you"');
  });

  test("of memory are memory, belong to the pod's group, and nobody else on the node reads them", async () => {
    const script =
      "df -T /fast /slow; touch /fast/a /slow/b; ls -ln /fast /slow; id; exec sleep 1000";
    const { metadata } = await node.run("groups", {
      spec: {
        securityContext: { runAsUser: 1234, fsGroup: 4321 },
        volumes: [
          { name: "fast", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
          { name: "slow", emptyDir: {} },
        ],
        containers: [
          scripted("main", script, {
            volumeMounts: [mount("fast"), mount("slow", { subPath: "a/b" })],
          }),
        ],
      },
    });
    const log = await node.said("groups", "uid=");
    assert.match(log, /tmpfs\s+1024\s.*\/fast$/m);
    assert.match(log, /1234 4321 .* a$/m);
    assert.match(log, /1234 4321 .* b$/m);
    assert.match(log, /uid=1234.*groups=.*4321/);
    const root = join(node.node.runDir, "pods/pods");
    assert.equal((await stat(root)).mode & 0o077, 0);
    assert.ok((await podFolders(node.node)).includes(metadata.uid ?? ""));
    assert.ok((await readdir(join(root, metadata.uid ?? "", "volumes"))).includes("fast"));
  });

  test("[SEC-5] a pod that writes more than its ephemeral-storage is evicted, in Kubernetes' words", async () => {
    const limits = (amount: string) => ({ resources: { limits: { "ephemeral-storage": amount } } });
    const write = (path: string) => `head -c 3000000 /dev/zero > ${path}; exec sleep 1000`;
    await node.run("layer", {
      spec: {
        containers: [
          scripted("greedy", write("/grown"), limits("1Mi")),
          scripted("modest", "exec sleep 1000", limits("100Mi")),
        ],
      },
    });
    await node.run("shared", {
      spec: {
        volumes: [{ name: "scratch", emptyDir: {} }],
        containers: [
          scripted("main", write("/scratch/grown"), {
            volumeMounts: [mount("scratch")],
            ...limits("1Mi"),
          }),
        ],
      },
    });
    const messages = {
      layer: 'Container greedy exceeded its local ephemeral storage limit "1Mi". ',
      shared: "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
    };
    for (const [name, message] of Object.entries(messages)) {
      await node.eventually(`the eviction of ${name}`, async () => {
        const { status } = await node.client.resource("v1", "Pod").get(place(name));
        if (status?.phase !== "Failed") return false;
        assert.deepEqual([status.reason, status.message], ["Evicted", message]);
        return true;
      });
    }
  });

  test("that cannot be are named in an event", async () => {
    await node.create("broken", {
      spec: {
        volumes: [{ name: "none", hostPath: { path: "/nowhere/at/all", type: "Directory" } }],
        containers: [scripted("main", "exit 0", { volumeMounts: [mount("none")] })],
      },
    });
    await node.eventually("an event", async () => {
      const { items } = await node.client.resource("v1", "Event").list({ namespace: "default" });
      return items.some(
        ({ reason, message = "" }) =>
          reason === "FailedMount" &&
          message.includes('spec.volumes[0].hostPath.path "/nowhere/at/all": it is not there'),
      );
    });
  });
});
