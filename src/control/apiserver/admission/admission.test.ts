import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { clientCertificates } from "../security/client-certificate.ts";
import { startServer, type TestServer } from "../testing/start.ts";
import { classAdmission } from "./classes.ts";
import { limitAdmission, resizeLimits } from "./limits.ts";

const podsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;
const container = (resources: object = {}) => ({ name: "a", image: "b", resources });

describe("[API-13] admission", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      access: (objects) => ({
        authenticator: clientCertificates(),
        authorizer: { authorize: () => ({ allowed: true }) },
        completions: [classAdmission(objects), limitAdmission(objects)],
        admission: [resizeLimits(objects)],
      }),
    });
    for (const name of ["quotas", "limits"]) {
      await server.send("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
    }
  });
  after(() => server[Symbol.asyncDispose]());

  const createPod = (namespace: string, name: string, spec: object) =>
    server.send("POST", podsOf(namespace), {
      body: { metadata: { name }, spec: { containers: [container()], ...spec } },
    });

  test("a quota takes what is left and refuses what is more", async () => {
    const path = "/api/v1/namespaces/quotas/resourcequotas";
    const hard = { pods: "2", cpu: "1", "count/configmaps": "1" };
    await server.send("POST", path, { body: { metadata: { name: "q" }, spec: { hard } } });
    const status = { hard, used: { pods: "0", cpu: "0", "count/configmaps": "0" } };
    const merge = { "content-type": "application/merge-patch+json" };
    await server.send("PATCH", `${path}/q/status`, {
      body: JSON.stringify({ status }),
      headers: merge,
    });
    const unsaid = await createPod("quotas", "unsaid", {});
    assert.equal(unsaid.status, 403);
    assert.equal(
      unsaid.json["message"],
      'pods "unsaid" is forbidden: failed quota: q: must specify cpu for: a',
    );
    const spec = { containers: [container({ requests: { cpu: "600m" } })] };
    assert.equal((await createPod("quotas", "first", spec)).status, 201);
    const { status: code, json } = await createPod("quotas", "second", spec);
    assert.equal(code, 403);
    assert.equal(
      json["message"],
      'pods "second" is forbidden: exceeded quota: q, requested: cpu=600m, used: cpu=600m, limited: cpu=1',
    );
    const quota = (await server.send("GET", `${path}/q`)).json as {
      status?: { used?: Record<string, string> };
    };
    assert.deepEqual(quota.status?.used, { pods: "1", cpu: "600m", "count/configmaps": "0" });
  });

  test("a quota is charged for what a resize of a pod adds, and refuses what is more", async () => {
    await server.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "resizes" } } });
    const path = "/api/v1/namespaces/resizes/resourcequotas";
    const hard = { pods: "1", cpu: "1" };
    await server.send("POST", path, { body: { metadata: { name: "q" }, spec: { hard } } });
    const headers = { "content-type": "application/merge-patch+json" };
    const patch = (place: string, body: object) =>
      server.send("PATCH", place, { body: JSON.stringify(body), headers });
    await patch(`${path}/q/status`, { status: { hard, used: { pods: "0", cpu: "0" } } });
    const spec = (cpu: string) => ({ containers: [container({ requests: { cpu } })] });
    assert.equal((await createPod("resizes", "a", spec("400m"))).status, 201);
    const resize = (cpu: string) => patch(`${podsOf("resizes")}/a/resize`, { spec: spec(cpu) });
    assert.equal((await resize("900m")).status, 200);
    const more = await resize("1100m");
    assert.equal(more.status, 403);
    assert.equal(
      more.json["message"],
      'pods "a" is forbidden: exceeded quota: q, requested: cpu=200m, used: cpu=900m, limited: cpu=1',
    );
    const quota = (await server.send("GET", `${path}/q`)).json as {
      status?: { used?: Record<string, string> };
    };
    assert.deepEqual(quota.status?.used, { pods: "1", cpu: "900m" });
  });

  test("a quota is charged for what updates and patches add", async () => {
    await server.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "updates" } } });
    const path = "/api/v1/namespaces/updates/resourcequotas";
    const hard = { "services.nodeports": "1", "requests.storage": "3Gi" };
    await server.send("POST", path, { body: { metadata: { name: "q" }, spec: { hard } } });
    const headers = { "content-type": "application/merge-patch+json" };
    const patch = (place: string, body: object) =>
      server.send("PATCH", place, { body: JSON.stringify(body), headers });
    const none = { "services.nodeports": "0", "requests.storage": "0" };
    await patch(`${path}/q/status`, { status: { hard, used: none } });
    const used = async () => {
      const { json } = await server.send("GET", `${path}/q`);
      return (json as { status?: { used?: object } }).status?.used;
    };
    const services = "/api/v1/namespaces/updates/services";
    for (const name of ["a", "b"]) {
      await server.send("POST", services, {
        body: { metadata: { name }, spec: { ports: [{ port: 80 }] } },
      });
    }
    const open = { spec: { type: "NodePort" } };
    assert.equal((await patch(`${services}/a`, open)).status, 200);
    const second = await patch(`${services}/b`, open);
    assert.equal(
      second.json["message"],
      'services "b" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
    );
    const again = (await server.send("GET", `${services}/a`)).json;
    const labelled = await server.send("PUT", `${services}/a`, {
      body: { ...again, metadata: { ...(again["metadata"] as object), labels: { a: "b" } } },
    });
    assert.equal(labelled.status, 200, "an update that adds nothing passes");
    const claims = "/api/v1/namespaces/updates/persistentvolumeclaims";
    const storage = (size: string) => ({ resources: { requests: { storage: size } } });
    const claim = { accessModes: ["ReadWriteOnce"], storageClassName: "s", ...storage("1Gi") };
    await server.send("POST", claims, { body: { metadata: { name: "c" }, spec: claim } });
    assert.deepEqual(await used(), { "services.nodeports": "1", "requests.storage": "1Gi" });
    await patch(`${claims}/c/status`, { status: { phase: "Bound" } });
    const grown = await patch(`${claims}/c`, { spec: storage("4Gi") });
    assert.equal(grown.status, 403, grown.text);
    assert.match(String(grown.json["message"]), /requested: requests.storage=3Gi, used: .*=1Gi/);
  });

  test("of many at once no more are made than the quota has room for", async () => {
    const maps = "/api/v1/namespaces/quotas/configmaps";
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        server.send("POST", maps, { body: { metadata: { name: `m${index}` } } }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, ...Array.from({ length: 9 }, () => 403)],
    );
  });

  test("containers get the defaults of a LimitRange and may not leave its bounds", async () => {
    const limits = [
      { type: "Container", default: { cpu: "200m" }, min: { cpu: "50m" }, max: { cpu: "1" } },
    ];
    const made = await server.send("POST", "/api/v1/namespaces/limits/limitranges", {
      body: { metadata: { name: "l" }, spec: { limits } },
    });
    assert.equal(made.status, 201, made.text);
    const { json } = await createPod("limits", "plain", {});
    assert.partialDeepStrictEqual(json, {
      spec: {
        containers: [{ resources: { limits: { cpu: "200m" }, requests: { cpu: "200m" } } }],
      },
    });
    const small = { containers: [container({ requests: { cpu: "10m" }, limits: { cpu: "2" } })] };
    const refused = await createPod("limits", "small", small);
    assert.equal(refused.status, 403);
    assert.equal(
      refused.json["message"],
      'pods "small" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, maximum cpu usage per Container is 1, but limit is 2]',
    );
  });

  test("a resize may not leave the bounds of a LimitRange", async () => {
    await server.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "bounds" } } });
    const limits = [{ type: "Container", max: { cpu: "1" } }];
    await server.send("POST", "/api/v1/namespaces/bounds/limitranges", {
      body: { metadata: { name: "l" }, spec: { limits } },
    });
    const spec = (cpu: string) => ({
      containers: [container({ requests: { cpu }, limits: { cpu } })],
    });
    assert.equal((await createPod("bounds", "a", spec("500m"))).status, 201);
    const resize = (cpu: string) =>
      server.send("PATCH", `${podsOf("bounds")}/a/resize`, {
        body: JSON.stringify({ spec: spec(cpu) }),
        headers: { "content-type": "application/merge-patch+json" },
      });
    assert.equal((await resize("1")).status, 200);
    const more = await resize("1500m");
    assert.deepEqual(
      [more.status, more.json["message"]],
      [403, 'pods "a" is forbidden: maximum cpu usage per Container is 1, but limit is 1500m'],
    );
  });

  test("a pod gets the value of its priority class, and none that does not exist", async () => {
    await server.send("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {
      body: { metadata: { name: "high" }, value: 1000, preemptionPolicy: "Never" },
    });
    const { json, status } = await createPod("default", "high", { priorityClassName: "high" });
    assert.equal(status, 201);
    assert.partialDeepStrictEqual(json, { spec: { priority: 1000, preemptionPolicy: "Never" } });
    const missing = await createPod("default", "missing", { priorityClassName: "none" });
    assert.equal(missing.status, 403);
    assert.match(String(missing.json["message"]), /no PriorityClass with name none was found/);
    const own = await createPod("default", "own", { priorityClassName: "high", priority: 5 });
    assert.equal(own.status, 403);
    const system = { priorityClassName: "system-node-critical" };
    const critical = await createPod("default", "critical", system);
    assert.partialDeepStrictEqual(critical.json, { spec: { priority: 2_000_001_000 } });
  });

  test("a pod gets the cost and the places of its runtime class", async () => {
    await server.send("POST", "/apis/node.k8s.io/v1/runtimeclasses", {
      body: {
        metadata: { name: "sandbox" },
        handler: "sandbox",
        overhead: { podFixed: { cpu: "10m" } },
        scheduling: { nodeSelector: { fast: "yes" }, tolerations: [{ operator: "Exists" }] },
      },
    });
    const { json } = await createPod("default", "sandboxed", { runtimeClassName: "sandbox" });
    assert.partialDeepStrictEqual(json, {
      spec: {
        overhead: { cpu: "10m" },
        nodeSelector: { fast: "yes" },
        tolerations: [{ operator: "Exists" }],
      },
    });
    const missing = await createPod("default", "nowhere", { runtimeClassName: "none" });
    assert.equal(missing.status, 403);
    assert.match(String(missing.json["message"]), /RuntimeClass "none" not found/);
  });
});
