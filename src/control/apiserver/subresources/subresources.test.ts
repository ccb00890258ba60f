import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { clientCertificates } from "../security/client-certificate.ts";
import { startServer, type TestServer } from "../testing/start.ts";

const pods = "/api/v1/namespaces/default/pods";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

describe("[API-1] subresources", () => {
  let server: TestServer;
  const asked: unknown[] = [];
  before(async () => {
    server = await startServer({
      access: () => ({
        authenticator: clientCertificates(),
        authorizer: { authorize: () => ({ allowed: true }) },
        serviceAccounts: {
          issue(identity, request) {
            asked.push(identity, request);
            return Promise.resolve({ token: "signed", expires: new Date("2030-01-01T00:00:00Z") });
          },
        },
      }),
      streaming: () => ({
        answer({ target, object, query }, response) {
          response.writeHead(200, { "content-type": "text/plain" });
          const about = [
            target.subresource,
            object.metadata?.name,
            query.get("container"),
            target.rest,
          ];
          response.end(Buffer.from(about.join(" ")));
          return Promise.resolve();
        },
        upgrade: () => Promise.resolve(),
      }),
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const pod = async (name: string, labels: Record<string, string> = {}) => {
    const spec = { containers: [{ name: "c", image: "i" }] };
    const { status, text } = await server.send("POST", pods, {
      body: { metadata: { name, labels }, spec },
    });
    assert.equal(status, 201, text);
  };
  const patchStatus = async (path: string, status: object) => {
    const answer = await server.send("PATCH", `${path}/status`, {
      body: JSON.stringify({ status }),
      headers: { "content-type": "application/merge-patch+json" },
    });
    assert.equal(answer.status, 200, answer.text);
  };

  test("[API-16] an approval of a certificate request keeps metadata, and nothing else but conditions", async () => {
    const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    const spec = {
      request: Buffer.from("-----BEGIN CERTIFICATE REQUEST-----").toString("base64"),
      signerName: "example.test/signer",
      usages: ["client auth"],
    };
    const made = await server.send("POST", path, { body: { metadata: { name: "csr" }, spec } });
    assert.equal(made.status, 201, made.text);
    const { status, json } = await server.send("PATCH", `${path}/csr/approval`, {
      body: JSON.stringify({
        metadata: { annotations: { by: "me" } },
        spec: { signerName: "example.test/other" },
        status: {
          certificate: Buffer.from("mine").toString("base64"),
          conditions: [{ type: "Reviewed", status: "True", reason: "test" }],
        },
      }),
      headers: { "content-type": "application/merge-patch+json" },
    });
    const kept = json as {
      metadata: { annotations?: object };
      spec: { signerName: string };
      status: { certificate?: string; conditions: { type: string }[] };
    };
    assert.equal(status, 200);
    assert.deepEqual(kept.metadata.annotations, { by: "me" });
    assert.equal(kept.spec.signerName, "example.test/signer");
    assert.equal(kept.status.certificate, undefined);
    assert.deepEqual(
      kept.status.conditions.map(({ type }) => type),
      ["Reviewed"],
    );
  });

  test("[SEC-4] the scale of a replication controller is told whatever its labels are called", async () => {
    const path = "/api/v1/namespaces/default/replicationcontrollers";
    const controller = (name: string, labels: object, selector: object) => ({
      metadata: { name },
      spec: {
        selector,
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    const odd = { matchLabels: "[object Object]" };
    const refused = await server.send("POST", path, { body: controller("odd", {}, odd) });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /`selector` does not match template `labels`/);
    const labels = { matchLabels: "a", matchExpressions: "b" };
    const made = await server.send("POST", path, { body: controller("named", labels, labels) });
    assert.equal(made.status, 201, made.text);
    const { status, json } = await server.send("GET", `${path}/named/scale`);
    assert.equal(status, 200);
    assert.deepEqual(json["status"], { replicas: 0, selector: "matchExpressions=b,matchLabels=a" });
  });

  test("a binding holds for the pod it was made for", async () => {
    await pod("another");
    const body = { metadata: { name: "another", uid: "gone" }, target: { name: "n" } };
    const { status, json } = await server.send("POST", `${pods}/another/binding`, { body });
    assert.equal(status, 409);
    assert.match(String(json["message"]), /UID in precondition: gone/);
    const { uid } = (await server.send("GET", `${pods}/another`)).json["metadata"] as {
      uid: string;
    };
    const meant = { ...body, metadata: { name: "another", uid } };
    const bound = await server.send("POST", `${pods}/another/binding`, { body: meant });
    assert.equal(bound.status, 201, bound.text);
  });

  test("a node registers with its status", async () => {
    const addresses = [{ type: "InternalIP", address: "10.0.0.1" }];
    const body = { metadata: { name: "registered" }, status: { addresses } };
    const { status, json } = await server.send("POST", "/api/v1/nodes", { body });
    assert.equal(status, 201);
    assert.deepEqual(json["status"], { addresses });
  });

  test("scale is a view of an object", async () => {
    const labels = { app: "scaled" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    await server.send("POST", deployments, {
      body: { metadata: { name: "scaled" }, spec: { selector: { matchLabels: labels }, template } },
    });
    const { json } = await server.send("GET", `${deployments}/scaled/scale`);
    assert.deepEqual(
      [json["kind"], json["spec"], json["status"]],
      ["Scale", { replicas: 1 }, { replicas: 0, selector: "app=scaled" }],
    );
    const scaled = await server.send("PUT", `${deployments}/scaled/scale`, {
      body: { ...json, spec: { replicas: 3 } },
    });
    assert.deepEqual([scaled.status, scaled.json["spec"]], [200, { replicas: 3 }]);
    const late = await server.send("PUT", `${deployments}/scaled/scale`, {
      body: { ...json, spec: { replicas: 9 } },
    });
    assert.equal(late.status, 409);
    const negative = await server.send("PATCH", `${deployments}/scaled/scale`, {
      body: JSON.stringify({ spec: { replicas: -1 } }),
      headers: { "content-type": "application/merge-patch+json" },
    });
    assert.equal(negative.status, 422);
    const whole = await server.send("GET", `${deployments}/scaled`);
    assert.equal((whole.json["spec"] as { replicas: number }).replicas, 3);
  });

  test("a pod is bound once", async () => {
    await pod("bound");
    const bind = (node: string) =>
      server.send("POST", `${pods}/bound/binding`, {
        body: { target: { kind: "Node", name: node } },
      });
    assert.equal((await bind("n1")).status, 201);
    const again = await bind("n2");
    assert.deepEqual([again.status, again.json["reason"]], [409, "Conflict"]);
    const { json } = await server.send("GET", `${pods}/bound`);
    assert.equal((json["spec"] as { nodeName: string }).nodeName, "n1");
    const { conditions } = json["status"] as { conditions: { type: string; status: string }[] };
    assert.deepEqual(
      conditions.map(({ type, status }) => [type, status]),
      [["PodScheduled", "True"]],
    );
  });

  test("a budget stops evictions that go too far", async () => {
    for (const name of ["e1", "e2"]) {
      await pod(name, { app: "guarded" });
      const conditions = [{ type: "Ready", status: "True" }];
      await patchStatus(`${pods}/${name}`, { phase: "Running", conditions });
    }
    await server.send("POST", budgets, {
      body: {
        metadata: { name: "guard" },
        spec: { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } },
      },
    });
    const early = await server.send("POST", `${pods}/e1/eviction`, {
      body: { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: "e1" } },
    });
    assert.deepEqual([early.status, early.headers["retry-after"]], [429, "10"], "not counted yet");
    const counts = { observedGeneration: 1, desiredHealthy: 1, currentHealthy: 2, expectedPods: 2 };
    await patchStatus(`${budgets}/guard`, { ...counts, disruptionsAllowed: 1 });
    const evict = (name: string) =>
      server.send("POST", `${pods}/${name}/eviction`, { body: { metadata: { name } } });
    assert.equal((await evict("e1")).status, 201);
    const refused = await evict("e2");
    // With a time, clients would ask again by themselves and for long, without a word to their users.
    assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, undefined]);
    assert.equal(
      refused.json["message"],
      "Cannot evict pod as it would violate the pod's disruption budget.",
    );
    assert.equal((await server.send("GET", `${pods}/e2`)).status, 200);
    await pod("e3", { app: "guarded" });
    await patchStatus(`${pods}/e3`, { phase: "Running" });
    assert.equal((await evict("e3")).status, 201, "it was never ready");
    await patchStatus(`${pods}/e2`, { phase: "Succeeded" });
    assert.equal((await evict("e2")).status, 201, "it does not run any more");
  });

  test("tokens come from the issuer", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const { json } = await server.send("POST", accounts, { body: { metadata: { name: "robot" } } });
    const { uid } = json["metadata"] as { uid: string };
    const made = await server.send("POST", `${accounts}/robot/token`, {
      body: { spec: { audiences: ["a"], expirationSeconds: 700 } },
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.json["status"], {
      token: "signed",
      expirationTimestamp: "2030-01-01T00:00:00Z",
    });
    assert.deepEqual(asked, [
      { namespace: "default", name: "robot", uid },
      { audiences: ["a"], lifetimeSeconds: 700 },
    ]);
    const short = await server.send("POST", `${accounts}/robot/token`, {
      body: { spec: { expirationSeconds: 5 } },
    });
    assert.equal(short.status, 422);
    assert.equal((await server.send("POST", `${accounts}/none/token`, { body: {} })).status, 404);
  });

  test("logs and proxies are passed on", async () => {
    await pod("talks");
    const log = await server.send("GET", `${pods}/talks/log?container=c`);
    assert.equal(log.text, "log talks c ");
    const proxy = await server.send("GET", `${pods}/talks:8080/proxy/a/b?x=y`);
    assert.equal(proxy.text, "proxy talks  /a/b");
    assert.equal((await server.send("GET", `${pods}/silent/log`)).status, 404);
  });

  test("what is not there cannot be asked for", async () => {
    assert.equal((await server.send("GET", `${pods}/talks/nothing`)).status, 404);
    assert.equal((await server.send("DELETE", `${pods}/talks/status`)).status, 405);
    assert.equal((await server.send("GET", "/api/v1/pods/talks")).status, 404);
    assert.equal((await server.send("GET", "/apis/nothing/v1/things")).status, 404);
    assert.equal((await server.send("POST", "/api/v1/pods", { body: {} })).status, 404);
  });
});
