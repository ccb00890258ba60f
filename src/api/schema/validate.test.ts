import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { Schema } from "./model.ts";
import { schemaOf } from "./registry.ts";
import { resources } from "./resources.ts";
import { validate } from "./validate.ts";

function kind(group: string, name: string): Schema {
  const schema = schemaOf({ group, version: "v1", kind: name });
  assert.ok(schema, name);
  return schema;
}

const pod = kind("", "Pod");
const service = kind("", "Service");

test("[API-4] a valid object has no findings", () => {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", labels: { app: "web" }, creationTimestamp: null },
    spec: {
      containers: [
        {
          name: "web",
          resources: { requests: { cpu: "100m", memory: 1024 } },
          ports: [{ containerPort: 80 }],
          livenessProbe: { httpGet: { port: "http" }, periodSeconds: 5 },
        },
      ],
      volumes: [{ name: "scratch", emptyDir: {} }],
    },
    status: { startTime: "2024-02-29T12:00:00+01:00", podIPs: [{ ip: "::1", properties: {} }] },
  };
  assert.deepEqual(validate(pod, object, { required: true }), []);
});

const wrong: [string, Schema, object, string][] = [
  [
    "a number for a string",
    pod,
    { metadata: { name: 5 } },
    "metadata.name must be a string, not 5",
  ],
  [
    "a string for a list",
    pod,
    { spec: { containers: "web" } },
    'spec.containers must be an array, not "web"',
  ],
  [
    "null in a list",
    pod,
    { spec: { containers: [null] } },
    "spec.containers[0] must be an object, not null",
  ],
  ["a list for an object", pod, { spec: [] }, "spec must be an object, not an array"],
  [
    "a number in a string map",
    pod,
    { metadata: { labels: { app: 1 } } },
    "metadata.labels.app must be a string, not 1",
  ],
  [
    "half an integer",
    service,
    { spec: { ports: [{ port: 80.5 }] } },
    "spec.ports[0].port must be an integer of 32 bits, not 80.5",
  ],
  [
    "a large integer",
    service,
    { spec: { ports: [{ port: 2 ** 31 }] } },
    "spec.ports[0].port must be an integer of 32 bits, not 2147483648",
  ],
  [
    "a boolean for a port",
    service,
    { spec: { ports: [{ targetPort: true }] } },
    "spec.ports[0].targetPort must be an integer of 32 bits or a string, not true",
  ],
  [
    "a quantity with two units",
    pod,
    { spec: { overhead: { cpu: "1mm" } } },
    'spec.overhead.cpu must be a quantity such as 100m or 2Gi, not "1mm"',
  ],
  [
    "a day that does not exist",
    pod,
    { status: { startTime: "2023-02-29T00:00:00Z" } },
    'status.startTime must be a time such as 2006-01-02T15:04:05Z, not "2023-02-29T00:00:00Z"',
  ],
  [
    "bytes that are no base64",
    kind("", "Secret"),
    { data: { password: "p&ss" } },
    'data.password must be base64, not "p&ss"',
  ],
];

for (const [name, schema, object, message] of wrong) {
  test(`[API-4] ${name} is a wrong type`, () => {
    const findings = validate(schema, object);
    assert.deepEqual(
      findings.map((finding) => [finding.problem, finding.message]),
      [["type", message]],
    );
  });
}

test("[API-4] unknown fields are named where they stand", () => {
  const object = {
    spec: { containers: [{ name: "a" }, { nmae: "b" }], constructor: {} },
    hasOwnProperty: 1,
  };
  assert.deepEqual(
    validate(pod, object).map(({ problem, path, message }) => [problem, path, message]),
    [
      ["unknown", "spec.containers[1].nmae", 'unknown field "spec.containers[1].nmae"'],
      ["unknown", "spec.constructor", 'unknown field "spec.constructor"'],
      ["unknown", "hasOwnProperty", 'unknown field "hasOwnProperty"'],
    ],
  );
});

test("missing required fields are reported when asked for", () => {
  const object = { spec: { containers: [{ name: null }] } };
  assert.deepEqual(validate(pod, object), []);
  assert.deepEqual(validate(pod, object, { required: true }), [
    {
      problem: "required",
      path: "spec.containers[0].name",
      message: "spec.containers[0].name is required",
    },
  ]);
});

test("[API-4] the alternatives of a union are looked into", () => {
  const definition = kind("apiextensions.k8s.io", "CustomResourceDefinition");
  const openAPIV3Schema = {
    type: "object",
    properties: {
      list: { type: "array", items: { tipe: "string" } },
      map: { type: "object", additionalProperties: "string" },
      open: { type: "object", additionalProperties: true },
    },
  };
  const object = { spec: { versions: [{ schema: { openAPIV3Schema } }] } };
  const at = "spec.versions[0].schema.openAPIV3Schema.properties";
  assert.deepEqual(
    validate(definition, object).map(({ message }) => message),
    [
      `unknown field "${at}.list.items.tipe"`,
      `${at}.map.additionalProperties must be one of its forms, not "string"`,
    ],
  );
});

test("validation stops at 100 errors", () => {
  const object = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 0]));
  assert.equal(validate(pod, object).length, 100);
});

test("[API-4] any JSON value is judged without a throw", () => {
  const schemas = resources.map((resource) => kindOf(resource));
  fc.assert(
    fc.property(fc.constantFrom(...schemas), fc.jsonValue(), (schema, value) => {
      const findings = validate(schema, value);
      if (typeof value !== "object" || value === null) assert.equal(findings.length, 1);
    }),
  );
});

function kindOf(gvk: { group: string; version: string; kind: string }): Schema {
  const schema = schemaOf(gvk);
  assert.ok(schema);
  return schema;
}
