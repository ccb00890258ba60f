import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encodeProtobuf } from "../../../api/protobuf/envelope.ts";
import type { Attributes } from "../access.ts";
import { clientCertificates } from "../security/client-certificate.ts";
import { type Answer, startServer, type TestServer } from "../testing/start.ts";

const path = "/api/v1/namespaces/default/configmaps";

interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: string[];
  readonly managedFields?: { manager: string; operation: string; subresource?: string }[];
}

describe("[API-1] writes", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const create = (name: string, more: object = {}) =>
    server.send("POST", path, { body: { metadata: { name }, ...more } });
  const patch = (name: string, body: unknown, type = "merge-patch+json", query = "") =>
    server.send("PATCH", `${path}/${name}${query}`, {
      body: JSON.stringify(body),
      headers: { "content-type": `application/${type}` },
    });
  const remove = (name: string, options: object) =>
    server.send("DELETE", `${path}/${name}`, { body: options });

  test("patches at the same time all take effect", async () => {
    await create("busy");
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    const answers = await Promise.all(keys.map((key) => patch("busy", { data: { [key]: "x" } })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const { json } = await server.send("GET", `${path}/busy`);
    assert.deepEqual(Object.keys(json["data"] as object).toSorted(), keys.toSorted());
  });

  test("a patch that names a version is refused when it is not the newest", async () => {
    const { json } = await create("versioned");
    const { resourceVersion } = meta(json);
    assert.equal((await patch("versioned", { data: { a: "1" } })).status, 200);
    const late = await patch("versioned", { metadata: { resourceVersion }, data: { a: "2" } });
    assert.deepEqual([late.status, late.json["reason"]], [409, "Conflict"]);
  });

  test("[API-5] what was written is read at once", async () => {
    for (let round = 0; round < 50; round++) {
      const { json } = await create(`own-${round}`);
      const read = await server.send("GET", `${path}/own-${round}?resourceVersion=0`);
      assert.equal(meta(read.json).resourceVersion, meta(json).resourceVersion);
    }
  });

  test("bodies come as JSON, YAML or protobuf", async () => {
    const yaml = await server.send("POST", path, {
      body: "metadata:\n  name: yaml\ndata: {a: '1'}\n",
      headers: { "content-type": "application/yaml" },
    });
    assert.equal(yaml.status, 201, yaml.text);
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "protobuf" },
      data: { a: "1" },
    };
    const protobuf = await server.send("POST", path, {
      body: Buffer.from(encodeProtobuf(object)),
      headers: { "content-type": "application/vnd.kubernetes.protobuf" },
    });
    assert.equal(protobuf.status, 201, protobuf.text);
    assert.deepEqual(protobuf.json["data"], yaml.json["data"]);
    const unknown = await server.send("POST", path, {
      body: "<x/>",
      headers: { "content-type": "text/xml" },
    });
    assert.equal(unknown.status, 415);
  });

  test("a dry run does everything but write", async () => {
    const made = await server.send("POST", `${path}?dryRun=All`, {
      body: { metadata: { name: "dry" } },
    });
    assert.equal(made.status, 201);
    assert.equal((await server.send("GET", `${path}/dry`)).status, 404);
    await create("wet");
    await server.send("DELETE", `${path}/wet?dryRun=All`);
    assert.equal((await server.send("GET", `${path}/wet`)).status, 200);
    const refused = await server.send("POST", `${path}?dryRun=Some`, {
      body: { metadata: { name: "x" } },
    });
    assert.equal(refused.status, 422);
  });

  test("managers are told apart by operation and subresource", async () => {
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const template = {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    await server.send("POST", `${deployments}?fieldManager=maker`, {
      body: {
        metadata: { name: "managed" },
        spec: { selector: { matchLabels: { a: "b" } }, template },
      },
    });
    await server.send("PATCH", `${deployments}/managed/status?fieldManager=controller`, {
      body: JSON.stringify({ status: { replicas: 1 } }),
      headers: { "content-type": "application/merge-patch+json" },
    });
    const applied = await server.send("PATCH", `${deployments}/managed?fieldManager=applier`, {
      body: JSON.stringify({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "managed", labels: { x: "y" } },
      }),
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    assert.equal(applied.status, 200, applied.text);
    const managers = (meta(applied.json).managedFields ?? []).map(
      ({ manager, operation, subresource = "" }) => `${manager} ${operation} ${subresource}`.trim(),
    );
    assert.deepEqual(managers.toSorted(), [
      "applier Apply",
      "controller Update status",
      "maker Update",
    ]);
  });

  test("an apply creates, and what is applied by another is a conflict unless forced", async () => {
    const apply = (manager: string, data: object, query = "") =>
      server.send("PATCH", `${path}/applied?fieldManager=${manager}${query}`, {
        body: JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "applied" },
          data,
        }),
        headers: { "content-type": "application/apply-patch+yaml" },
      });
    assert.equal((await apply("one", { a: "1" })).status, 201);
    assert.equal((await apply("one", { a: "1" })).status, 200);
    const conflict = await apply("two", { a: "2" });
    assert.equal(conflict.status, 409);
    const { causes } = conflict.json["details"] as { causes: { field: string; reason: string }[] };
    assert.deepEqual(
      causes.map(({ field, reason }) => [field, reason]),
      [[".data.a", "FieldManagerConflict"]],
    );
    assert.equal((await apply("two", { a: "2" }, "&force=true")).status, 200);
    const nameless = await server.send("PATCH", `${path}/applied`, {
      body: "{}",
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    assert.equal(nameless.status, 422);
    const another = await server.send("PATCH", `${path}/applied?fieldManager=one&force=true`, {
      body: JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "applied" } }),
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    assert.equal(another.status, 400);
    assert.match(another.text, /Secret in version .* cannot be handled as a ConfigMap/);
    const forced = await patch("applied", {}, "merge-patch+json", "?force=true");
    assert.equal(forced.status, 422);
  });

  test("deletion asks for the right object", async () => {
    const { json } = await create("precise");
    const wrong = await remove("precise", { preconditions: { uid: "other" } });
    assert.equal(wrong.status, 409, wrong.text);
    assert.match(String(wrong.json["message"]), /Precondition failed: UID in precondition: other/);
    const old = await remove("precise", { preconditions: { resourceVersion: "1" } });
    assert.equal(old.status, 409);
    const { uid, resourceVersion } = meta(json);
    const right = await remove("precise", { preconditions: { uid, resourceVersion } });
    assert.deepEqual([right.status, right.json["status"]], [200, "Success"]);
  });

  test("dependents are kept or waited for by finalizers", async () => {
    await create("parent");
    const foreground = await remove("parent", { propagationPolicy: "Foreground" });
    assert.equal(foreground.status, 202, foreground.text);
    assert.deepEqual(meta(foreground.json).finalizers, ["foregroundDeletion"]);
    const orphan = await remove("parent", { propagationPolicy: "Orphan" });
    assert.deepEqual(meta(orphan.json).finalizers, ["orphan"]);
    const background = await remove("parent", { propagationPolicy: "Background" });
    assert.equal(background.json["status"], "Success");
    assert.equal((await remove("parent", { propagationPolicy: "Whatever" })).status, 422);
    assert.equal((await remove("parent", { gracePeriodSeconds: -1 })).status, 422);
  });

  test("a pod that runs gets time to end, which can be cut short", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
    await server.send("POST", pods, { body: { metadata: { name: "ending" }, spec } });
    const first = meta((await server.send("DELETE", `${pods}/ending`)).json);
    assert.equal(first.deletionGracePeriodSeconds, 30);
    const slower = meta((await server.send("DELETE", `${pods}/ending?gracePeriodSeconds=60`)).json);
    assert.equal(slower.deletionTimestamp, first.deletionTimestamp);
    const sooner = meta((await server.send("DELETE", `${pods}/ending?gracePeriodSeconds=5`)).json);
    assert.equal(sooner.deletionGracePeriodSeconds, 5);
    await server.send("DELETE", `${pods}/ending?gracePeriodSeconds=0`);
    assert.equal((await server.send("GET", `${pods}/ending`)).status, 404);
  });

  test("a collection is deleted by selector", async () => {
    for (const name of ["c1", "c2"]) {
      await server.send("POST", path, { body: { metadata: { name, labels: { doomed: "yes" } } } });
    }
    const gone = await server.send("DELETE", `${path}?labelSelector=doomed%3Dyes`);
    assert.equal((gone.json["items"] as unknown[]).length, 2);
    const left = await server.send("GET", `${path}?labelSelector=doomed%3Dyes`);
    assert.deepEqual(left.json["items"], []);
  });

  test("a namespace that ends takes nothing new, and goes when it is finalized", async () => {
    const namespaces = "/api/v1/namespaces";
    await server.send("POST", namespaces, { body: { metadata: { name: "ending" } } });
    const ending = await server.send("DELETE", `${namespaces}/ending`);
    assert.deepEqual(ending.json["status"], { phase: "Terminating" });
    const late = await server.send("POST", `${namespaces}/ending/configmaps`, {
      body: { metadata: { name: "x" } },
    });
    assert.equal(late.status, 403);
    const { causes } = late.json["details"] as { causes: { reason: string }[] };
    assert.equal(causes[0]?.reason, "NamespaceTerminating");
    const finalized = await server.send("PUT", `${namespaces}/ending/finalize`, {
      body: { ...ending.json, spec: { finalizers: [] } },
    });
    assert.equal(finalized.status, 200, finalized.text);
    assert.equal((await server.send("GET", `${namespaces}/ending`)).status, 404);
  });

  test("[API-4] nothing of what is refused is stored", async () => {
    const refused: [name: string, body: object][] = [
      ["a name with capitals", { metadata: { name: "Upper" } }],
      ["no name", { metadata: {} }],
      ["another namespace", { metadata: { name: "away", namespace: "kube-system" } }],
      ["another kind", { kind: "Secret", metadata: { name: "kind" } }],
      ["another version", { apiVersion: "v2", metadata: { name: "version" } }],
      ["a version to create", { metadata: { name: "made", resourceVersion: "5" } }],
      ["wrong labels", { metadata: { name: "labels", labels: { "a b": "c" } } }],
      ["a foreign finalizer", { metadata: { name: "final", finalizers: ["simple"] } }],
    ];
    const earlier = await server.send("GET", path);
    for (const [name, body] of refused) {
      const { status, json } = await server.send("POST", path, { body });
      assert.ok(status === 400 || status === 422, `${name}: ${status}`);
      assert.equal(json["kind"], "Status");
    }
    assert.deepEqual((await server.send("GET", path)).json, earlier.json);
  });

  test("[API-4] a body beyond the limit is refused, and the connection still tells why", async () => {
    const data = { filler: "x".repeat(3 * 1024 * 1024) };
    const answer = await create("huge", { data });
    assert.deepEqual([answer.status, answer.json["reason"]], [413, "RequestEntityTooLarge"]);
  });
});

test("[API-3] to apply what is not there needs leave to create", async () => {
  const authorize = (_: unknown, { verb }: Attributes) => ({ allowed: verb !== "create" });
  await using server = await startServer({
    access: () => ({ authenticator: clientCertificates(), authorizer: { authorize } }),
  });
  const answer: Answer = await server.send("PATCH", `${path}/sneaky?fieldManager=x`, {
    body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "sneaky" } }),
    headers: { "content-type": "application/apply-patch+yaml" },
  });
  assert.equal(answer.status, 403, answer.text);
  assert.equal((await server.send("GET", `${path}/sneaky`)).status, 404);
});

function meta(object: Record<string, unknown>): Meta {
  return object["metadata"] as Meta;
}
