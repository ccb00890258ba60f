// A node that was taken over tries to see, and to draw to itself, what is not its own.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { defined } from "../../src/base/json/defined.ts";
import { type GuardedServer, node, startGuarded } from "../fixtures/guarded-server.ts";

const namespace = "/api/v1/namespaces/default";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const mirror = { "kubernetes.io/config.mirror": "x" };
const containers = [{ name: "main", image: "example.test/tool:1" }];

describe("[SEC-3] a node", () => {
  let guarded: GuardedServer;
  let itself: ReturnType<GuardedServer["as"]>;
  before(async () => {
    guarded = await startGuarded();
    itself = guarded.as(node("a"));
    for (const name of ["a", "b"]) await register(name);
    for (const name of ["used", "unused", "elsewhere"]) {
      await must("POST", `${namespace}/secrets`, { metadata: { name } });
      await must("POST", `${namespace}/configmaps`, { metadata: { name } });
    }
    for (const name of ["runner", "other"]) {
      await must("POST", `${namespace}/serviceaccounts`, { metadata: { name } });
    }
    const volumes = (name: string) => [
      { name: "s", secret: { secretName: name } },
      { name: "c", configMap: { name } },
    ];
    await must("POST", `${namespace}/pods`, {
      metadata: { name: "own", labels: { app: "own" } },
      spec: { nodeName: "a", serviceAccountName: "runner", containers, volumes: volumes("used") },
    });
    await must("POST", `${namespace}/pods`, {
      metadata: { name: "other", labels: { app: "other" } },
      spec: {
        nodeName: "b",
        serviceAccountName: "other",
        containers,
        volumes: volumes("elsewhere"),
      },
    });
  });
  after(() => guarded[Symbol.asyncDispose]());

  async function register(name: string): Promise<void> {
    const taints = [{ key: "dedicated", value: "db", effect: "NoSchedule" }];
    await must("POST", "/api/v1/nodes", { metadata: { name }, spec: { taints } });
  }

  async function must(
    method: string,
    path: string,
    body: object,
  ): Promise<Record<string, unknown>> {
    const answer = await guarded.admin(method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  }

  async function refused(why: RegExp, method: string, path: string, body?: object): Promise<void> {
    const answer = await itself(method, path, body);
    assert.equal(answer.status, 403, answer.text);
    assert.match(String(answer.json["message"]), why);
  }

  async function allowed(method: string, path: string, body?: object): Promise<void> {
    const answer = await itself(method, path, body);
    assert.ok(answer.status < 300, answer.text);
  }

  for (const kind of ["secrets", "configmaps"]) {
    test(`[SEC-3] reads ${kind} of its pods alone`, async () => {
      await allowed("GET", `${namespace}/${kind}/used`);
      const unrelated = /no relationship found between node 'a' and this object/;
      await refused(unrelated, "GET", `${namespace}/${kind}/unused`);
      await refused(unrelated, "GET", `${namespace}/${kind}/elsewhere`);
      await refused(/No Object name found/, "GET", `${namespace}/${kind}`);
      await refused(
        /can only read resources of this type/,
        "PATCH",
        `${namespace}/${kind}/used`,
        {},
      );
    });
  }

  test("[SEC-3] gets nothing by a mirror pod of its own making", async () => {
    const pod = (name: string, spec: object) => ({
      metadata: { name, annotations: mirror },
      spec: { nodeName: "a", containers, ...spec },
    });
    const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
    const reach: [kind: RegExp, spec: object][] = [
      [/reference secrets/, volume({ secret: { secretName: "unused" } })],
      [/reference configmaps/, volume({ configMap: { name: "unused" } })],
      [
        /reference configmaps/,
        volume({ projected: { sources: [{ configMap: { name: "unused" } }] } }),
      ],
      [
        /reference secrets/,
        { containers: [{ ...containers[0], envFrom: [{ secretRef: { name: "unused" } }] }] },
      ],
      [/reference persistentvolumeclaims/, volume({ persistentVolumeClaim: { claimName: "x" } })],
    ];
    for (const [kind, spec] of reach) {
      await refused(kind, "POST", `${namespace}/pods`, pod("mirror", spec));
    }
    const plain = { metadata: { name: "plain" }, spec: { nodeName: "a", containers } };
    await refused(/can only create mirror pods/, "POST", `${namespace}/pods`, plain);
    const elsewhere = pod("elsewhere", { nodeName: "b" });
    await refused(/spec\.nodeName set to itself/, "POST", `${namespace}/pods`, elsewhere);
    await allowed("POST", `${namespace}/pods`, pod("mirror", {}));
    // Whoever made it: what a mirror pod names is the node's own word.
    const made = pod("made", volume({ secret: { secretName: "unused" } }));
    await must("POST", `${namespace}/pods`, made);
    await refused(/no relationship/, "GET", `${namespace}/secrets/unused`);
  });

  test("[SEC-3] gets tokens only for its pods, as themselves, for what they ask", async () => {
    const { metadata } = (await must("GET", `${namespace}/pods/own`, {})) as {
      metadata: { uid: string };
    };
    const bound = { apiVersion: "v1", kind: "Pod", name: "own", uid: metadata.uid };
    const ask = (boundObjectRef: object | undefined, audiences: string[] = []) => ({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences, ...defined({ boundObjectRef }) },
    });
    const path = `${namespace}/serviceaccounts/runner/token`;
    await allowed("POST", path, ask(bound));
    await refused(/not bound to a pod/, "POST", path, ask(undefined));
    await refused(/audience "vault" not found/, "POST", path, ask(bound, ["vault"]));
    await refused(
      /no relationship/,
      "POST",
      `${namespace}/serviceaccounts/other/token`,
      ask(bound),
    );
  });

  test("[SEC-3] gets tokens of the IPAM plugin for itself alone, and none of its rights without them", async () => {
    const path = "/api/v1/namespaces/kube-system/serviceaccounts/tandem-ipam/token";
    const uidOf = async (name: string) => {
      const { metadata } = (await must("GET", `/api/v1/nodes/${name}`, {})) as {
        metadata: { uid: string };
      };
      return metadata.uid;
    };
    const ask = (boundObjectRef?: object, audiences: string[] = []) => ({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences, ...(boundObjectRef === undefined ? {} : { boundObjectRef }) },
    });
    const bound = { apiVersion: "v1", kind: "Node", name: "a", uid: await uidOf("a") };
    const other = { ...bound, name: "b", uid: await uidOf("b") };
    await refused(/not bound to a pod/, "POST", path, ask());
    await refused(/bound to a different node/, "POST", path, ask(other));
    await refused(/without a uid/, "POST", path, ask({ ...bound, uid: "" }));
    await refused(/only request a token for this API/, "POST", path, ask(bound, ["vault"]));
    const elsewhere = path.replace("tandem-ipam", "default");
    await refused(/no relationship/, "POST", elsewhere, ask(bound));
    const pools = "/apis/whereabouts.cni.cncf.io/v1alpha1/namespaces/kube-system/ippools";
    await refused(/cannot list/, "GET", pools);
    const request = async () => {
      const { json, status, text } = await itself("POST", path, ask(bound));
      assert.equal(status, 201, text);
      return guarded.bearer((json["status"] as { token: string }).token);
    };
    await checkRights(await request());
    // Tokens that were seen are remembered for some seconds.
    const unseen = await request();
    await must("DELETE", "/api/v1/nodes/a", {});
    assert.equal((await unseen("GET", pools)).status, 401, "tokens end with their node");
    await register("a");
  });

  async function checkRights(send: ReturnType<GuardedServer["bearer"]>): Promise<void> {
    const group = "/apis/whereabouts.cni.cncf.io/v1alpha1";
    const pools = `${group}/namespaces/kube-system/ippools`;
    const pool = { metadata: { name: "p" }, spec: { range: "10.0.0.0/24", allocations: {} } };
    const body = { apiVersion: "whereabouts.cni.cncf.io/v1alpha1", kind: "IPPool", ...pool };
    assert.equal((await send("POST", pools, body)).status, 201);
    assert.equal((await send("GET", `${pools}/p`)).status, 200);
    const beyond: readonly [string, string][] = [
      ["GET", "/api/v1/nodes"],
      ["GET", "/api/v1/pods"],
      ["GET", `${namespace}/pods/own`],
      ["GET", `${namespace}/secrets/used`],
      ["GET", "/api/v1/namespaces/kube-system/secrets"],
      ["GET", `${namespace}/configmaps/used`],
      ["DELETE", `${pools}/p`],
      ["GET", `${group}/namespaces/default/ippools/p`],
      ["GET", `${group}/ippools`],
      ["POST", "/api/v1/namespaces/kube-system/serviceaccounts/tandem-ipam/token"],
    ];
    for (const [method, path] of beyond) {
      const answer = await send(method, path, method === "POST" ? {} : undefined);
      assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
    }
  }

  test("[SEC-3] gives itself no role, no restricted label, and changes no taint", async () => {
    const labels = (key: string) => ({ metadata: { labels: { [key]: "x" } } });
    const keys = [
      "node-restriction.kubernetes.io/trusted",
      "tier.node-restriction.kubernetes.io/a",
      "node-role.kubernetes.io/control-plane",
      "kubernetes.io/anything",
      "example.k8s.io/anything",
    ];
    for (const key of keys) {
      await refused(/is not allowed to modify labels/, "PATCH", "/api/v1/nodes/a", labels(key));
      const fresh = { metadata: { name: "a", ...labels(key).metadata }, spec: {} };
      const why = /is not allowed to set the following labels/;
      await refused(why, "POST", "/api/v1/nodes", fresh);
    }
    for (const key of ["topology.kubernetes.io/zone", "node.kubernetes.io/x", "example.test/x"]) {
      await allowed("PATCH", "/api/v1/nodes/a", labels(key));
    }
    for (const path of ["/api/v1/nodes/a", "/api/v1/nodes/a/status"]) {
      const role = labels("node-role.kubernetes.io/infra");
      if (path.endsWith("/status")) {
        await itself("PATCH", path, role);
        const { metadata } = (await must("GET", "/api/v1/nodes/a", {})) as {
          metadata: { labels: Record<string, string> };
        };
        assert.equal(metadata.labels["node-role.kubernetes.io/infra"], undefined);
      } else await refused(/is not allowed to modify labels/, "PATCH", path, role);
    }
    await refused(/is not allowed to modify taints/, "PATCH", "/api/v1/nodes/a", {
      spec: { taints: [] },
    });
    await refused(/is not allowed to modify node "b"/, "PATCH", "/api/v1/nodes/b", labels("x"));
    await refused(/is not allowed to modify node "b"/, "PATCH", "/api/v1/nodes/b/status", {});
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "used", uid: "u" };
    await refused(/is not allowed to modify ownerReferences/, "PATCH", "/api/v1/nodes/a", {
      metadata: { ownerReferences: [owner] },
    });
    await refused(/cannot delete/, "DELETE", "/api/v1/nodes/b");
  });

  test("[SEC-3] relabels none of its pods, and touches none of others", async () => {
    const labels = { metadata: { labels: { app: "other" } } };
    await refused(/cannot update labels/, "PATCH", `${namespace}/pods/own/status`, labels);
    await refused(/cannot update labels/, "PATCH", `${namespace}/pods/own`, labels);
    const deadline = { spec: { activeDeadlineSeconds: 1 } };
    await refused(/can only change the network status/, "PATCH", `${namespace}/pods/own`, deadline);
    const annotations = {
      metadata: { annotations: { "k8s.v1.cni.cncf.io/network-status": "[]" } },
    };
    await allowed("PATCH", `${namespace}/pods/own`, annotations);
    await allowed("PATCH", `${namespace}/pods/own/status`, { status: { phase: "Running" } });
    const running = { status: { phase: "Running" } };
    const own = /spec\.nodeName set to itself/;
    await refused(own, "PATCH", `${namespace}/pods/other/status`, running);
    await refused(own, "PATCH", `${namespace}/pods/other`, annotations);
    await refused(own, "DELETE", `${namespace}/pods/other`);
    await refused(own, "POST", `${namespace}/pods/other/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "other" },
    });
    await refused(
      /cannot create resource "pods\/binding"/,
      "POST",
      `${namespace}/pods/own/binding`,
      {
        target: { name: "a" },
      },
    );
  });

  test("[SEC-3] has the leases of its own name alone", async () => {
    const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: "a" } });
    const own = /can only access node lease with the same name/;
    await refused(own, "POST", leases, lease("b"));
    await refused(own, "POST", leases, lease("b.announcer.tandem.internal"));
    await allowed("POST", leases, lease("a"));
    await allowed("POST", leases, lease("a.announcer.tandem.internal"));
    await refused(
      /kube-node-lease/,
      "POST",
      leases.replace("kube-node-lease", "kube-system"),
      lease("a"),
    );
    await must("POST", leases, lease("b"));
    await refused(own, "PATCH", `${leases}/b`, { spec: { holderIdentity: "a" } });
    await refused(own, "DELETE", `${leases}/b`);
  });
});
