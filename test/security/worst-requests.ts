// The worst requests we know: each is within what its sender may do, and each has stopped an API server,
// this one or another, for as long as it took to work it off.

export interface WorstRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly accept?: string;
  readonly body?: string | Buffer;
}

export interface WorstKind {
  readonly name: string;
  /** What must be there first, in the namespace of the sender. */
  readonly before?: (namespace: string) => readonly WorstRequest[];
  readonly request: (namespace: string, round: number) => WorstRequest;
}

const json = "application/json";
const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const applyPatch = "application/apply-patch+yaml";
const yaml = "application/yaml";
const protobuf = "application/vnd.kubernetes.protobuf";

const megabyte = 1 << 20;

/** Of another scale, they are of the same kinds but smaller. */
export function worstKinds(scale = 1): readonly WorstKind[] {
  const scaled = (count: number) => Math.ceil(count * scale);
  return [
    {
      name: "10,000 operations of a JSON patch on an object of 12,000 keys",
      before: (namespace) => [bigConfigMap(namespace)],
      request: (namespace) =>
        patch(`${configMaps(namespace)}/big`, jsonPatch, operations(scaled(10_000), addKey)),
    },
    {
      name: "a JSON patch that tests and moves 10,000 times",
      before: (namespace) => [bigConfigMap(namespace)],
      request: (namespace) =>
        patch(`${configMaps(namespace)}/big`, jsonPatch, operations(scaled(10_000), moveKey)),
    },
    {
      name: "a JSON patch that copies its copies",
      before: (namespace) => [bigConfigMap(namespace)],
      request: (namespace) =>
        patch(`${configMaps(namespace)}/big`, jsonPatch, operations(30, doubleUp)),
    },
    {
      name: "a megabyte of YAML",
      request: (namespace) => post(configMaps(namespace), yaml, yamlMap(scaled(megabyte - 100))),
    },
    {
      name: "YAML of flow sequences",
      request: (namespace) =>
        post(configMaps(namespace), yaml, `a: [${"[],".repeat(scaled(300_000))}]`),
    },
    {
      name: "a quantity of 2.9 million digits",
      request: (namespace) =>
        post(
          pods(namespace),
          json,
          podWith({ resources: { limits: { cpu: "9".repeat(scaled(2.9e6)) } } }),
        ),
    },
    {
      name: "70,000 containers",
      request: (namespace) =>
        post(pods(namespace), json, podOf(many(scaled(70_000), smallContainer))),
    },
    {
      name: "20,000 environment variables with wrong names",
      request: (namespace) =>
        post(
          pods(namespace),
          json,
          podWith({ env: many(scaled(20_000), (n) => ({ name: `=${n}` })) }),
        ),
    },
    {
      name: "an element order of 60,000 entries",
      before: (namespace) => [deployment(namespace)],
      request: (namespace) =>
        patch(deploymentPath(namespace), strategic, elementOrder(scaled(60_000))),
    },
    {
      name: "a strategic merge of 30,000 containers",
      before: (namespace) => [deployment(namespace)],
      request: (namespace) =>
        patch(
          deploymentPath(namespace),
          strategic,
          JSON.stringify({
            spec: { template: { spec: { containers: many(scaled(30_000), smallContainer) } } },
          }),
        ),
    },
    {
      name: "a JSON map of 3 MB",
      request: (namespace) =>
        post(configMaps(namespace), json, jsonMap(scaled(3 * megabyte - 100))),
    },
    {
      name: "a merge patch of 3 MB",
      before: (namespace) => [bigConfigMap(namespace)],
      request: (namespace) =>
        patch(`${configMaps(namespace)}/big`, mergePatch, jsonMap(scaled(3 * megabyte - 100))),
    },
    {
      name: "a server-side apply of a megabyte of keys",
      request: (namespace) =>
        patch(
          `${configMaps(namespace)}/applied?fieldManager=worst&force=true`,
          applyPatch,
          JSON.stringify({ ...configMap("applied"), data: keys(scaled(70_000)) }),
        ),
    },
    {
      name: "200,000 unknown fields",
      request: (namespace) =>
        post(
          configMaps(namespace),
          json,
          JSON.stringify({ ...configMap("unknown"), ...keys(scaled(150_000)) }),
        ),
    },
    {
      name: "200,000 times the same field",
      request: (namespace) =>
        post(configMaps(namespace), json, `{"data":{${'"a":"",'.repeat(scaled(350_000))}"a":""}}`),
    },
    {
      name: "a million open brackets",
      request: (namespace) =>
        post(configMaps(namespace), json, `{"data":${"[[],".repeat(scaled(megabyte / 2))}`),
    },
    {
      name: "a managed fields record of 2 MB",
      request: (namespace) =>
        post(
          configMaps(namespace),
          json,
          JSON.stringify({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: {
              generateName: "managed-",
              managedFields: [
                {
                  manager: "worst",
                  operation: "Apply",
                  apiVersion: "v1",
                  fieldsType: "FieldsV1",
                  fieldsV1: Object.fromEntries(many(scaled(100_000), (n) => [`f:key-${n}`, {}])),
                },
              ],
            },
          }),
        ),
    },
    {
      name: "protobuf of a million empty fields",
      request: (namespace) =>
        post(configMaps(namespace), protobuf, protobufNoise(2 * scaled(megabyte))),
    },
    {
      name: "a service of 30,000 ports",
      request: (namespace) =>
        post(
          `/api/v1/namespaces/${namespace}/services`,
          json,
          JSON.stringify({
            apiVersion: "v1",
            kind: "Service",
            metadata: { generateName: "ports-" },
            spec: {
              ports: many(scaled(30_000), (n) => ({ name: `p${n}`, port: 1 + (n % 65_535) })),
            },
          }),
        ),
    },
    {
      name: "50,000 labels, owners and finalizers",
      request: (namespace) =>
        post(
          configMaps(namespace),
          json,
          JSON.stringify({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: {
              generateName: "labels-",
              labels: keys(scaled(40_000)),
              finalizers: many(scaled(20_000), (n) => `example.com/${n}`),
              ownerReferences: many(scaled(5_000), (n) => ({
                apiVersion: "v1",
                kind: "Pod",
                name: `p${n}`,
                uid: `${n}`,
              })),
            },
          }),
        ),
    },
    {
      name: "a large object as YAML",
      before: (namespace) => [bigConfigMap(namespace)],
      request: (namespace) => ({
        method: "GET",
        path: `${configMaps(namespace)}/big`,
        type: json,
        accept: yaml,
      }),
    },
    {
      name: "large objects as protobuf",
      before: (namespace) => [bigConfigMap(namespace)],
      request: (namespace, round) => ({
        method: "GET",
        path: `${configMaps(namespace)}${round % 2 === 0 ? "/big" : ""}`,
        type: json,
        accept: protobuf,
      }),
    },
    {
      name: "large objects as a table with the objects",
      before: (namespace) => [bigConfigMap(namespace)],
      request: (namespace) => ({
        method: "GET",
        path: `${configMaps(namespace)}?includeObject=Object`,
        type: json,
        accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
      }),
    },
    {
      name: "a large object with indentation",
      before: (namespace) => [bigConfigMap(namespace)],
      request: (namespace) => ({
        method: "GET",
        path: `${configMaps(namespace)}?pretty=true`,
        type: json,
      }),
    },
    {
      name: "a label selector of 8,000 values",
      request: (namespace) => ({
        method: "GET",
        path: `${configMaps(namespace)}?labelSelector=${encodeURIComponent(`a in (${many(scaled(8_000), (n) => `v${n}`).join(",")})`)}`,
        type: json,
      }),
    },
    {
      name: "a name of 2 MB",
      request: (namespace) =>
        post(
          configMaps(namespace),
          json,
          JSON.stringify(configMap("n".repeat(scaled(2 * megabyte)))),
        ),
    },
  ];
}

function post(path: string, type: string, body: string | Buffer): WorstRequest {
  return { method: "POST", path, type, body };
}

function patch(path: string, type: string, body: string): WorstRequest {
  return { method: "PATCH", path, type, body };
}

const configMaps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const pods = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;
const deploymentPath = (namespace: string) =>
  `/apis/apps/v1/namespaces/${namespace}/deployments/worst`;

function configMap(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}

function bigConfigMap(namespace: string): WorstRequest {
  return post(
    configMaps(namespace),
    json,
    JSON.stringify({ ...configMap("big"), data: keys(12_000) }),
  );
}

function deployment(namespace: string): WorstRequest {
  const labels = { app: "worst" };
  return post(
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
    json,
    JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "worst" },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [smallContainer(0)] } },
      },
    }),
  );
}

function podOf(containers: readonly object[]): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "worst-" },
    spec: { containers },
  });
}

const podWith = (fields: object) => podOf([{ ...smallContainer(0), ...fields }]);
const smallContainer = (n: number) => ({ name: `c${n}`, image: "i" });

function elementOrder(count: number): string {
  const containers = many(count, (n) => ({ name: `c${n}` }));
  return JSON.stringify({
    spec: {
      template: { spec: { "$setElementOrder/containers": containers, containers: [] } },
    },
  });
}

function operations(count: number, make: (n: number) => object): string {
  return JSON.stringify(many(count, make));
}

const addKey = (n: number) => ({ op: "add", path: `/data/added-${n}`, value: "" });
const moveKey = (n: number) => ({ op: "move", from: `/data/k${n}`, path: `/data/m${n}` });
const doubleUp = (n: number) => ({ op: "copy", from: "/data", path: `/data/copy-${n}` });

function keys(count: number): Record<string, string> {
  return Object.fromEntries(many(count, (n) => [`k${n}`, ""]));
}

function jsonMap(size: number): string {
  const parts: string[] = [];
  for (let [n, length] = [0, 0]; length < size - 60; n++) {
    const part = `"k${n}":""`;
    parts.push(part);
    length += part.length + 1;
  }
  return `{"data":{${parts.join(",")}}}`;
}

function yamlMap(size: number): string {
  const parts: string[] = ["data:"];
  for (let [n, length] = [0, 0]; length < size - 60; n++) {
    const part = `  k${n}: v`;
    parts.push(part);
    length += part.length + 1;
  }
  return parts.join("\n");
}

/** An envelope whose object is fields of length zero. */
function protobufNoise(size: number): Buffer {
  const raw = Buffer.alloc(size, Buffer.of(0x12, 0x00));
  const length = Buffer.alloc(5);
  let rest = size;
  let used = 0;
  for (; rest > 0x7f; used++) {
    length[used] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  length[used] = rest;
  return Buffer.concat([
    Buffer.from("k8s\0"),
    Buffer.of(0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09),
    Buffer.from("ConfigMap"),
    Buffer.of(0x12),
    length.subarray(0, used + 1),
    raw,
  ]);
}

function many<Value>(count: number, make: (n: number) => Value): Value[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
