import assert from "node:assert/strict";
import test from "node:test";
import { schemaOf } from "./registry.ts";
import { resourceOf, resources } from "./resources.ts";

test("every served kind, its list and every subresource has a schema", () => {
  for (const resource of resources) {
    assert.ok(schemaOf(resource), resource.plural);
    if (resource.verbs.includes("list")) {
      assert.ok(schemaOf({ ...resource, kind: `${resource.kind}List` }), resource.plural);
    }
    for (const subresource of resource.subresources) {
      assert.ok(schemaOf(subresource), `${resource.plural}/${subresource.name}`);
    }
  }
});

test("short names and plurals are unique within a group and version", () => {
  const names = resources.flatMap(({ group, version, plural, singular, shortNames }) =>
    [...new Set([plural, singular, ...shortNames])].map((name) => `${group}/${version}/${name}`),
  );
  assert.equal(new Set(names).size, names.length);
});

test("resources are found by kind, in their group only", () => {
  const deployments = resourceOf({ group: "apps", version: "v1", kind: "Deployment" });
  assert.equal(deployments?.plural, "deployments");
  assert.equal(resourceOf({ group: "", version: "v1", kind: "Deployment" }), undefined);
  assert.equal(deployments?.subresources.find(({ name }) => name === "scale")?.kind, "Scale");
});
