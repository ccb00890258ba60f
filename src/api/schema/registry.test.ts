import assert from "node:assert/strict";
import test from "node:test";
import type { Field, Schema } from "./model.ts";
import { allTypes, schemaOf, typeNamed } from "./registry.ts";

function field(schema: Schema | undefined, path: string): Field {
  let found: Field | undefined;
  let within = schema;
  for (const name of path.split(".")) {
    found = (within?.items ?? within)?.fields?.get(name);
    within = found?.schema;
  }
  assert.ok(found, path);
  return found;
}

const pod = schemaOf({ group: "", version: "v1", kind: "Pod" });
const service = schemaOf({ group: "", version: "v1", kind: "Service" });
const endpoints = schemaOf({ group: "", version: "v1", kind: "Endpoints" });

test("the fields of pod addresses carry properties, pairs and their list keys", () => {
  const podIPs = field(pod, "status.podIPs");
  assert.equal(podIPs.number, 12);
  assert.deepEqual(podIPs.schema.list, { type: "map", keys: ["ip"] });
  assert.deepEqual(podIPs.schema.patch, { strategies: ["merge"], mergeKey: "ip" });
  assert.deepEqual(field(pod, "status.hostIPs").schema.list, { type: "map", keys: ["ip"] });
  const properties = field(pod, "status.podIPs.properties");
  assert.deepEqual([properties.number, properties.schema.type], [2, "map"]);
  const ips = field(endpoints, "subsets.addresses.ips");
  assert.deepEqual([ips.number, ips.schema.type], [5, "array"]);
  assert.equal(field(service, "spec.endpointFamily").number, 50_001);
});

test("a list key knows the value its absence stands for", () => {
  const ports = field(service, "spec.ports");
  assert.deepEqual(ports.schema.list, { type: "map", keys: ["port", "protocol"] });
  assert.equal(field(service, "spec.ports.protocol").schema.default, "TCP");
  assert.deepEqual(ports.schema.patch, { strategies: ["merge"], mergeKey: "port" });
});

test("pointers, inlined messages and wrapped lists are told apart", () => {
  const deployment = schemaOf({ group: "apps", version: "v1", kind: "Deployment" });
  assert.equal(field(deployment, "spec.replicas").pointer, true);
  assert.equal(field(deployment, "spec.minReadySeconds").pointer, undefined);
  const emptyDir = field(pod, "spec.volumes.emptyDir");
  assert.deepEqual([emptyDir.embedded, emptyDir.number], [[2], 2]);
  const review = schemaOf({ group: "authentication.k8s.io", version: "v1", kind: "TokenReview" });
  assert.equal(field(review, "status.user.extra").schema.items?.wire, "wrapped");
});

test("strategies, atomic types and maps are read", () => {
  assert.deepEqual(field(pod, "spec.volumes").schema.patch, {
    strategies: ["merge", "retainKeys"],
    mergeKey: "name",
  });
  assert.equal(field(service, "spec.selector").schema.atomic, true);
  assert.equal(typeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector")?.atomic, true);
  assert.deepEqual(field(pod, "metadata.finalizers").schema.list, { type: "set" });
});

test("kinds of meta/v1 exist in every group, its other types in none", () => {
  const options = schemaOf({ group: "apps", version: "v1", kind: "DeleteOptions" });
  assert.equal(options?.name, "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  assert.equal(schemaOf({ group: "apps", version: "v1", kind: "ObjectMeta" }), undefined);
  assert.equal(schemaOf({ group: "", version: "v1", kind: "constructor" }), undefined);
  assert.equal(typeNamed("io.k8s.api.core.v1.Absent"), undefined);
});

test("a type that contains itself can be walked", () => {
  const props = typeNamed(
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
  );
  assert.equal(field(props, "properties").schema.items, props);
});

test("every type can be read, and no number is used twice in a message", () => {
  for (const { schema, name } of allTypes()) {
    const numbers = [...(schema.fields?.values() ?? [])]
      .filter(({ number }) => number !== undefined)
      .map(({ embedded, number }) => `${(embedded ?? []).join(".")}/${number}`);
    assert.equal(new Set(numbers).size, numbers.length, name);
    for (const number of numbers) assert.match(number, /^[\d.]*\/[1-9]\d*$/, name);
  }
});
