import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type HookServer, startHookServer } from "../admission/webhooks/testing/hook-server.ts";
import { startServer, type TestServer } from "../testing/start.ts";
import { openWatch, take } from "../testing/watch.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const merge = { "content-type": "application/merge-patch+json" };

interface Place {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: object;
  readonly hostPort?: string;
  readonly host?: string;
  readonly port?: string;
}

describe("[API-10] versions of custom resources", () => {
  let server: TestServer;
  let hooks: HookServer;
  let reviews = 0;
  before(async () => {
    server = await startServer();
    hooks = await startHookServer();
    hooks.onRaw("/convert", (body) => {
      reviews++;
      const { uid, desiredAPIVersion, objects } = body["request"] as {
        uid: string;
        desiredAPIVersion: string;
        objects: Place[];
      };
      const convertedObjects = objects.map((object) => converted(object, desiredAPIVersion));
      const { kind, apiVersion } = body;
      const result = { status: "Success" };
      return { kind, apiVersion, response: { uid, convertedObjects, result } };
    });
    const { url, caBundle } = hooks;
    await define("places", "Place", {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { url: `${url}/convert`, caBundle },
          conversionReviewVersions: ["v1"],
        },
      },
      versions: [
        { ...version("v1", { hostPort: { type: "string" } }), storage: true },
        version("v2", { host: { type: "string" }, port: { type: "string" } }),
      ],
    });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await hooks[Symbol.asyncDispose]();
  });

  const path = (of: string) => `/apis/example.com/${of}/namespaces/default/places`;

  test("a webhook converts what is written, read, listed and watched", async () => {
    const body = { metadata: { name: "one" }, hostPort: "localhost:1234" };
    const made = await server.send("POST", path("v1"), { body });
    assert.equal(made.status, 201, made.text);
    const read = await server.send("GET", `${path("v2")}/one`);
    assert.equal(read.status, 200, read.text);
    assert.partialDeepStrictEqual(read.json, {
      apiVersion: "example.com/v2",
      host: "localhost",
      port: "1234",
    });
    const written = await server.send("POST", path("v2"), {
      body: { metadata: { name: "two" }, host: "far", port: "5" },
    });
    assert.equal(written.json["host"], "far", written.text);
    const old = await server.send("GET", `${path("v1")}/two`);
    assert.equal(old.json["hostPort"], "far:5");
    const list = await server.send("GET", path("v2"));
    const items = list.json["items"] as Place[];
    assert.deepEqual(
      items.map(({ host, port }) => `${host} ${port}`),
      ["localhost 1234", "far 5"],
    );
    const events = openWatch(server, `${path("v2")}?watch=true&resourceVersion=0`);
    await take(events, 2);
    const patch = JSON.stringify({ port: "6" });
    const patched = await server.send("PATCH", `${path("v2")}/two`, {
      body: patch,
      headers: merge,
    });
    assert.equal(patched.json["port"], "6", patched.text);
    const [event] = await take(events, 1);
    assert.partialDeepStrictEqual(event, { type: "MODIFIED", object: { host: "far", port: "6" } });
    await events.return(undefined);
  });

  test("a list is one question, and what was converted is remembered", async () => {
    await server.send("GET", path("v2"));
    const asked = reviews;
    await server.send("GET", path("v2"));
    assert.equal(reviews, asked);
  });

  test("objects stay readable when another version is stored from now on", async () => {
    const versions = [
      version("v1", { hostPort: { type: "string" } }),
      { ...version("v2", { host: { type: "string" }, port: { type: "string" } }), storage: true },
    ];
    const body = JSON.stringify({ spec: { versions } });
    const changed = await server.send("PATCH", `${crds}/places.example.com`, {
      body,
      headers: merge,
    });
    assert.partialDeepStrictEqual(changed.json["status"], { storedVersions: ["v1", "v2"] });
    for (const each of ["v1", "v2"]) {
      const { json, text } = await server.send("GET", path(each));
      const items = (json["items"] ?? []) as Place[];
      assert.deepEqual(
        items.map(({ apiVersion }) => apiVersion),
        Array(2).fill(`example.com/${each}`),
        text,
      );
    }
    const patch = JSON.stringify({ hostPort: "near:7" });
    await server.send("PATCH", `${path("v1")}/one`, { body: patch, headers: merge });
    const { json } = await server.send("GET", `${path("v2")}/one`);
    assert.equal(json["host"], "near");
  });

  test("a webhook that fails is told about", async () => {
    hooks.onRaw("/convert", () => ({ response: {} }));
    const body = { metadata: { name: "three" }, hostPort: "x:1" };
    const refused = await server.send("POST", path("v1"), { body });
    assert.equal(refused.status, 500);
    assert.match(
      String(refused.json["message"]),
      /conversion webhook for example\.com\/v2, Kind=Place failed: expected response\.uid/,
    );
  });

  test("defaults and pruning hold for objects that were stored before", async () => {
    const open = { a: { type: "string" }, b: { type: "string" } };
    await define("notes", "Note", { versions: [{ ...version("v1", open), storage: true }] });
    const notes = "/apis/example.com/v1/namespaces/default/notes";
    await server.send("POST", notes, { body: { metadata: { name: "n" }, a: "1", b: "2" } });
    const closed = { a: { type: "string" }, c: { type: "string", default: "new" } };
    const body = JSON.stringify({
      spec: { versions: [{ ...version("v1", closed), storage: true }] },
    });
    await server.send("PATCH", `${crds}/notes.example.com`, { body, headers: merge });
    const { json } = await server.send("GET", `${notes}/n`);
    assert.deepEqual([json["a"], json["b"], json["c"]], ["1", undefined, "new"]);
  });

  test("selectable fields are those of the version that is asked", async () => {
    const selectable = { selectableFields: [{ jsonPath: ".colour" }] };
    const schema = { colour: { type: "string" } };
    const versions = [
      { ...version("v1", schema), ...selectable, storage: true },
      { ...version("v2", schema), ...selectable },
    ];
    await define("shirts", "Shirt", { versions });
    const shirts = "/apis/example.com/v2/namespaces/default/shirts";
    for (const colour of ["red", "blue"]) {
      await server.send("POST", shirts, { body: { metadata: { name: colour }, colour } });
    }
    const { json } = await server.send("GET", `${shirts}?fieldSelector=colour%3Dblue`);
    const items = json["items"] as { metadata: { name: string } }[];
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ["blue"],
    );
  });

  async function define(plural: string, kind: string, spec: object): Promise<void> {
    const names = { plural, kind };
    const body = {
      metadata: { name: `${plural}.example.com` },
      spec: { group: "example.com", scope: "Namespaced", names, ...spec },
    };
    const answer = await server.send("POST", crds, { body });
    assert.equal(answer.status, 201, answer.text);
  }
});

function version(name: string, properties: object) {
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return { name, served: true, storage: false, schema };
}

/** Converts as the webhook of Kubernetes' own test does: `hostPort` is `host` and `port`. */
function converted(object: Place, apiVersion: string): Place {
  const { hostPort = "", host, port, ...rest } = object;
  if (apiVersion.endsWith("/v1")) return { ...rest, apiVersion, hostPort: `${host}:${port}` };
  const [first, second] = hostPort.split(":");
  return { ...rest, apiVersion, host: first ?? "", port: second ?? "" };
}
