import assert from "node:assert/strict";
import test from "node:test";
import { buildOpenApi, type OpenApiDocument } from "./build.ts";
import type { CustomResource } from "./custom.ts";

type Tree = { [key: string]: Tree };

const thing: CustomResource = {
  group: "example.org",
  version: "v1",
  kind: "Status",
  plural: "statuses",
  singular: "status",
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: ["create", "get", "list", "patch"],
  subresources: [
    { name: "scale", verbs: ["get"], group: "autoscaling", version: "v1", kind: "Scale" },
  ],
  schema: {
    type: "object",
    properties: {
      mode: { type: "string", nullable: true, oneOf: [{ enum: ["a"] }] },
      port: { type: "integer", "x-kubernetes-int-or-string": true },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: {} },
      sizes: { type: "array", items: { type: "integer", nullable: true } },
    },
  },
};

const openApi = buildOpenApi({ customResources: [thing], version: "v1.36.0" });
const v2 = parse(await openApi.v2Json());
const core = parse(await openApi.v3("api/v1"));

function parse(document: OpenApiDocument | undefined): Tree {
  assert.ok(document);
  return JSON.parse(Buffer.from(document.body).toString()) as Tree;
}

function at(tree: Tree | undefined, ...path: string[]): Tree | undefined {
  return path.reduce<Tree | undefined>((inner, key) => inner?.[key], tree);
}

test("[API-1] definitions carry kinds, merge keys and list types in both versions", () => {
  for (const definitions of [v2["definitions"], at(core, "components", "schemas")]) {
    const pod = at(definitions, "io.k8s.api.core.v1.Pod");
    assert.deepEqual(pod?.["x-kubernetes-group-version-kind"], [
      { group: "", kind: "Pod", version: "v1" },
    ]);
    const spec = at(definitions, "io.k8s.api.core.v1.PodSpec");
    assert.deepEqual(spec?.["required"], ["containers"]);
    const containers = at(spec, "properties", "containers");
    assert.equal(containers?.["x-kubernetes-patch-merge-key"], "name");
    assert.equal(containers?.["x-kubernetes-patch-strategy"], "merge");
    assert.equal(containers?.["x-kubernetes-list-type"], "map");
    assert.deepEqual(containers?.["x-kubernetes-list-map-keys"], ["name"]);
    const volumes = at(spec, "properties", "volumes");
    assert.equal(volumes?.["x-kubernetes-patch-strategy"], "merge,retainKeys");
    const target = at(definitions, "io.k8s.apimachinery.pkg.util.intstr.IntOrString");
    assert.equal(target?.["x-kubernetes-int-or-string"], true);
    const selector = at(definitions, "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector");
    assert.equal(selector?.["x-kubernetes-map-type"], "atomic");
    const properties = at(definitions, "io.k8s.api.core.v1.PodIP", "properties", "properties");
    assert.deepEqual(at(properties, "additionalProperties"), { type: "string" });
  }
});

test("[API-1] a patch takes dryRun, fieldManager, fieldValidation and force", () => {
  const path = "/api/v1/namespaces/{namespace}/pods/{name}";
  for (const document of [v2, core]) {
    const patch = at(document, "paths", path, "patch");
    assert.deepEqual(patch?.["x-kubernetes-group-version-kind"], {
      group: "",
      kind: "Pod",
      version: "v1",
    });
    const names = Object.values(patch?.["parameters"] ?? {}).map(({ name }): unknown => name);
    for (const name of ["dryRun", "fieldManager", "fieldValidation", "force"]) {
      assert.ok(names.includes(name), name);
    }
  }
});

test("every reference has its definition", async () => {
  const paths = Object.keys(parse(await openApi.v3Index())["paths"] ?? {});
  const documents = await Promise.all(paths.map(async (path) => openApi.v3(path)));
  for (const document of [await openApi.v2Json(), ...documents]) {
    const tree = parse(document);
    const text = Buffer.from(document?.body ?? []).toString();
    const definitions = tree["definitions"] ?? at(tree, "components", "schemas") ?? {};
    for (const [, name = ""] of text.matchAll(
      /"\$ref":"#\/(?:definitions|components\/schemas)\/([^"]+)"/g,
    )) {
      assert.ok(Object.hasOwn(definitions, name), name);
    }
  }
});

test("the index names every group and version with the hash of its document", async () => {
  const paths = parse(await openApi.v3Index())["paths"] ?? {};
  assert.ok(paths["api/v1"] && paths["apis/apps/v1"] && paths["apis/example.org/v1"]);
  for (const [path, entry] of Object.entries(paths)) {
    const serverRelativeURL = `/openapi/v3/${path}?hash=${(await openApi.v3(path))?.hash}`;
    assert.deepEqual(entry, { serverRelativeURL });
  }
  assert.equal(openApi.v3("apis/absent/v1"), undefined);
});

test("the same resources give the same bytes, others give others", async () => {
  const again = buildOpenApi({ customResources: [thing], version: "v1.36.0" });
  const without = buildOpenApi({ customResources: [], version: "v1.36.0" });
  for (const form of ["v2Json", "v2Protobuf", "v3Index"] as const) {
    const one = await openApi[form]();
    assert.equal((await again[form]()).hash, one.hash);
    assert.deepEqual((await again[form]()).body, one.body);
    assert.notEqual((await without[form]()).hash, one.hash);
  }
  assert.equal((await without.v3("api/v1"))?.hash, (await openApi.v3("api/v1"))?.hash);
});

test("[SEC-4] a document is built in many steps, between which others have their turns", async () => {
  for (const form of ["v2Json", "v2Protobuf", "v3Index"] as const) {
    let pauses = 0;
    const pause = async () => void pauses++;
    await buildOpenApi({ customResources: [], version: "v1.36.0", pause })[form]();
    assert.ok(pauses > 500, `${form} paused ${pauses} times`);
  }
});

test("a custom kind keeps its own definition, whatever its name", async () => {
  const definitions = v2["definitions"];
  const own = at(definitions, "org.example.v1.Status", "properties");
  assert.deepEqual(own?.["mode"], {});
  assert.deepEqual(own?.["port"], { "x-kubernetes-int-or-string": true });
  assert.deepEqual(own?.["free"], { "x-kubernetes-preserve-unknown-fields": true });
  assert.deepEqual(own?.["sizes"], { type: "array", items: {} });
  assert.ok(at(definitions, "io.k8s.apimachinery.pkg.apis.meta.v1.Status", "properties", "code"));
  const v3 = parse(await openApi.v3("apis/example.org/v1"));
  const full = at(v3, "components", "schemas", "org.example.v1.Status", "properties", "mode");
  assert.deepEqual(full, { type: "string", nullable: true, oneOf: [{ enum: ["a"] }] });
  assert.ok(at(v3, "paths", "/apis/example.org/v1/statuses/{name}/scale", "get"));
});
