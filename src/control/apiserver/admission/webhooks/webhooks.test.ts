import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { clientCertificates } from "../../security/client-certificate.ts";
import { startServer, type TestServer } from "../../testing/start.ts";
import { type HookServer, patching, startHookServer } from "./testing/hook-server.ts";
import { webhookAdmission } from "./webhooks.ts";

const admission = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/default/configmaps";

describe("[API-8] admission webhooks", () => {
  let server: TestServer;
  let hooks: HookServer;
  before(async () => {
    hooks = await startHookServer();
    server = await startServer({
      access: (objects, port) => ({
        authenticator: clientCertificates(),
        authorizer: { authorize: () => ({ allowed: true }) },
        dynamic: [webhookAdmission({ objects, port })],
      }),
    });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await hooks[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    for (const kind of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]) {
      await server.send("DELETE", `${admission}/${kind}`);
    }
    await server.send("DELETE", maps);
    hooks.asked.length = 0;
  });

  const rules = [
    { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
  ];
  const register = async (kind: "Mutating" | "Validating", name: string, more: object = {}) => {
    const { url, caBundle } = hooks;
    const webhook = {
      name: `${name}.example.test`,
      clientConfig: { url: `${url}/${name}`, caBundle },
      rules,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      ...more,
    };
    const path = `${admission}/${kind.toLowerCase()}webhookconfigurations`;
    const body = { metadata: { name }, webhooks: [webhook] };
    const answer = await server.send("POST", path, { body });
    assert.equal(answer.status, 201, answer.text);
  };
  const create = (name: string, data = {}, query = "") =>
    server.send("POST", `${maps}${query}`, { body: { metadata: { name }, data } });

  test("a validating webhook refuses with its own code and words", async () => {
    hooks.on("/deny", () => ({
      allowed: false,
      status: { code: 403, reason: "Forbidden", message: "not on Sundays" },
      warnings: ["think again"],
    }));
    await register("Validating", "deny");
    const refused = await create("one");
    assert.equal(refused.status, 403);
    assert.equal(
      refused.json["message"],
      'admission webhook "deny.example.test" denied the request: not on Sundays',
    );
    const [asked] = hooks.asked;
    assert.partialDeepStrictEqual(asked?.review, {
      operation: "CREATE",
      namespace: "default",
      name: "one",
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      object: { metadata: { name: "one" } },
      oldObject: null,
      dryRun: false,
      userInfo: { username: "admin" },
    });
    assert.equal((await server.send("GET", `${maps}/one`)).status, 404);
  });

  test("mutating webhooks see each other's changes, and again if they ask for it", async () => {
    const add = (key: string) => [{ op: "add", path: `/data/${key}`, value: "yes" }];
    hooks.on("/a-first", ({ object }) => {
      const data = (object?.["data"] ?? {}) as Record<string, string>;
      return patching(add("second" in data ? "again" : "first"));
    });
    hooks.on("/b-second", () => patching(add("second")));
    await register("Mutating", "a-first", { reinvocationPolicy: "IfNeeded" });
    await register("Mutating", "b-second");
    const { json, text } = await create("two", { own: "yes" });
    const data = { own: "yes", first: "yes", second: "yes", again: "yes" };
    assert.deepEqual(json["data"], data, text);
    const paths = hooks.asked.map(({ path }) => path);
    assert.deepEqual(paths, ["/a-first", "/b-second", "/a-first"]);
  });

  test("updates and deletions are asked about, with the object before", async () => {
    hooks.on("/look", () => ({ allowed: true, warnings: ["seen"] }));
    await create("three", { a: "1" });
    await register("Validating", "look");
    const patch = { "content-type": "application/merge-patch+json" };
    const body = JSON.stringify({ data: { a: "2" } });
    const patched = await server.send("PATCH", `${maps}/three`, { body, headers: patch });
    assert.match(String(patched.headers["warning"]), /seen/);
    hooks.on("/look", ({ operation }) => ({ allowed: operation !== "DELETE" }));
    assert.equal((await server.send("DELETE", `${maps}/three`)).status, 400);
    const seen = hooks.asked.map(({ review }) => [
      review.operation,
      (review.oldObject?.["data"] as { a?: string } | undefined)?.a,
      (review.object?.["data"] as { a?: string } | undefined)?.a,
    ]);
    assert.deepEqual(seen, [
      ["UPDATE", "1", "2"],
      ["DELETE", "2", undefined],
    ]);
  });

  test("a webhook that fails closes or opens the way, as its policy says", async () => {
    const nowhere = { clientConfig: { url: "https://127.0.0.1:1/x", caBundle: hooks.caBundle } };
    await register("Validating", "closed", nowhere);
    const refused = await create("four");
    assert.equal(refused.status, 500);
    assert.match(
      String(refused.json["message"]),
      /^Internal error occurred: failed calling webhook "closed\.example\.test": failed to call webhook: Post "https:\/\/127\.0\.0\.1:1\/x\?timeout=10s": .*ECONNREFUSED/,
    );
    await server.send("DELETE", `${admission}/validatingwebhookconfigurations/closed`);
    await register("Validating", "open", { ...nowhere, failurePolicy: "Ignore" });
    assert.equal((await create("four")).status, 201);
  });

  test("a webhook that does not answer is given up after its timeout", async () => {
    hooks.on("/silent", () => undefined);
    await register("Validating", "silent", { timeoutSeconds: 1 });
    const refused = await create("five");
    assert.match(
      String(refused.json["message"]),
      /\/silent\?timeout=1s": context deadline exceeded/,
    );
  });

  test("answers that do not fit the question count as failures", async () => {
    hooks.on("/wrong", () => ({ uid: "another", allowed: true }));
    await register("Validating", "wrong");
    assert.match(String((await create("six")).json["message"]), /expected response\.uid=/);
    hooks.on("/wrong", () => patching([]));
    assert.match(String((await create("six")).json["message"]), /may not return response\.patch/);
  });

  test("dry runs are announced, and store nothing", async () => {
    hooks.on("/dry", () => patching([{ op: "add", path: "/data/dry", value: "yes" }]));
    await register("Mutating", "dry");
    const { json } = await create("seven", { a: "1" }, "?dryRun=All");
    assert.deepEqual(json["data"], { a: "1", dry: "yes" });
    assert.equal(hooks.asked[0]?.review.dryRun, true);
    assert.equal((await server.send("GET", `${maps}/seven`)).status, 404);
  });

  test("webhooks are not asked about configurations of webhooks", async () => {
    hooks.on("/all", () => ({ allowed: false }));
    const everything = {
      operations: ["*"],
      apiGroups: ["*"],
      apiVersions: ["*"],
      resources: ["*/*"],
    };
    await register("Validating", "all", { rules: [everything] });
    assert.equal((await create("eight")).status, 400);
    const path = `${admission}/validatingwebhookconfigurations/all`;
    assert.equal((await server.send("DELETE", path)).status, 200);
  });

  test("a webhook may write the object it is asked about", async () => {
    await create("nine", { a: "1" });
    let isFirst = true;
    hooks.on("/busy", () => ({ allowed: true }));
    await register("Validating", "busy");
    const patch = (data: object) =>
      server.send("PATCH", `${maps}/nine`, {
        body: JSON.stringify({ data }),
        headers: { "content-type": "application/merge-patch+json" },
      });
    let inner: Promise<unknown> | undefined;
    hooks.on("/busy", () => {
      if (isFirst) {
        isFirst = false;
        inner = patch({ b: "2" });
        return undefined;
      }
      return { allowed: true };
    });
    await server.send("DELETE", `${admission}/validatingwebhookconfigurations/busy`);
    await register("Validating", "busy", { timeoutSeconds: 1, failurePolicy: "Ignore" });
    assert.equal((await patch({ a: "3" })).status, 200);
    await inner;
    const { json } = await server.send("GET", `${maps}/nine`);
    assert.deepEqual(json["data"], { a: "3", b: "2" });
  });
});
