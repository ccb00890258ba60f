// Requests of every format, with mistakes at random: valid ones whose bytes are changed, cut, doubled or
// replaced by what parsers stumble over.
import { encodeProtobuf } from "../../src/api/protobuf/envelope.ts";
import { type Resource, resources } from "../../src/api/schema/resources.ts";
import type { JsonObject } from "../../src/base/json/value.ts";

export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly accept: string;
  readonly body: Buffer;
}

/** The namespace of everything that fuzzed requests write. */
export const fuzzedNamespace = "fuzzed";

/** Returns a generator of requests; the same seed makes the same ones. */
export function fuzzedRequests(seed: number): () => FuzzedRequest {
  const random = new Random(seed);
  return () => {
    const make = random.of(makers);
    const { body, path, ...request } = make(random);
    return {
      ...request,
      accept: random.of(accepted),
      path: random.chance(0.1) ? mutatedPath(path, random) : path,
      body: random.chance(0.9) ? mutated(body, random) : body,
    };
  };
}

/** The generator mulberry32, so that a failed run can be repeated by its seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }
}

type Made = Omit<FuzzedRequest, "accept">;

const accepted = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "*/*",
];

const written = resources.filter(
  ({ verbs, namespaced, plural }) =>
    verbs.includes("create") && (namespaced || plural.endsWith("reviews")),
);

const makers: readonly ((random: Random) => Made)[] = [
  (random) => creation(random, "application/json", jsonOf),
  (random) => creation(random, "application/yaml", yamlOf),
  (random) => creation(random, "application/vnd.kubernetes.protobuf", protobufOf),
  (random) => update(random),
  ...Object.entries({
    "application/json-patch+json": [
      { op: "add", path: "/metadata/labels/a", value: "b" },
      { op: "copy", from: "/metadata", path: "/data" },
      { op: "test", path: "/kind", value: "x" },
      { op: "remove", path: "/metadata/annotations" },
    ],
    "application/merge-patch+json": { metadata: { labels: { a: null, b: "c" } }, data: { d: "e" } },
    "application/strategic-merge-patch+json": {
      metadata: { finalizers: [], "$setElementOrder/finalizers": ["a"] },
      spec: { ports: [{ port: 80, $patch: "delete" }], $retainKeys: ["ports"] },
    },
    "application/apply-patch+yaml": { apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } },
  }).map(
    ([type, body]) =>
      (random: Random) =>
        patch(random, type, body),
  ),
  (random) => ({
    method: random.of(["GET", "DELETE", "HEAD", "OPTIONS"]),
    path: `${pathOf(random.of(written))}${random.of(queries)}`,
    type: "application/json",
    body: Buffer.alloc(0),
  }),
];

const queries = [
  "?limit=1",
  "/one",
  "?labelSelector=a%20in%20(b,c)",
  "?fieldSelector=metadata.name%3Da",
  "/one?pretty=true",
  "?limit=9&continue=e30",
  "?resourceVersion=1&resourceVersionMatch=Exact",
  "/one/status",
  "/one/scale",
];

function creation(random: Random, type: string, encode: (object: JsonObject) => Buffer): Made {
  const resource = random.of(written);
  return { method: "POST", path: pathOf(resource), type, body: encode(sample(resource, random)) };
}

function update(random: Random): Made {
  const resource = random.of(written);
  const path = `${pathOf(resource)}/one${random.of(["", "", "/status", "/scale"])}`;
  return { method: "PUT", path, type: "application/json", body: jsonOf(sample(resource, random)) };
}

function patch(random: Random, type: string, body: object): Made {
  const query = "?fieldManager=fuzz&force=true";
  const path = `${pathOf(random.of(written))}/one${query}`;
  return { method: "PATCH", path, type, body: Buffer.from(JSON.stringify(body)) };
}

function sample({ group, version, kind }: Resource, random: Random): JsonObject {
  const labels = { app: "fuzz" };
  const container = { name: "c", image: "i", ports: [{ containerPort: 80 }], env: [{ name: "A" }] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    metadata: { name: random.of(["one", "two", ""]), labels, annotations: { note: "é\u0000☃" } },
    spec: {
      replicas: 1,
      selector: random.chance(0.5) ? labels : { matchLabels: labels },
      template,
      containers: [container],
      ports: [{ port: 80, targetPort: "http" }],
      resources: { requests: { cpu: "100m", storage: "1Gi" } },
    },
    data: { key: "value" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  };
}

const jsonOf = (object: JsonObject) => Buffer.from(JSON.stringify(object));
const protobufOf = (object: JsonObject) => Buffer.from(encodeProtobuf(object, { drop: true }));

/** YAML in block style, with an anchor that is used twice. */
function yamlOf(object: JsonObject): Buffer {
  const { metadata, ...rest } = object;
  const lines = Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return Buffer.from(`metadata: &m ${JSON.stringify(metadata)}\nalso: *m\n${lines.join("\n")}\n`);
}

function pathOf({ group, version, plural, namespaced }: Resource): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}/${namespaced ? `namespaces/${fuzzedNamespace}/` : ""}${plural}`;
}

/** What parsers stumble over. */
const tokens = [
  "null",
  "true",
  "-0",
  "1e999",
  "99999999999999999999999",
  "-1",
  '"__proto__":',
  '"\\ud800"',
  "{}",
  "[]",
  "[[[[[[[[",
  "&a [*a,*a]",
  "<<: *m",
  "!!binary x",
  "\u0000",
  "%00",
  "../",
  '"9".repeat',
  "\n---\n",
  "\xff\xfe",
  "999999999999Ei",
].map((token) => Buffer.from(token, "latin1"));

function mutated(body: Buffer, random: Random): Buffer {
  let bytes = body;
  for (let count = 1 + random.below(4); count > 0 && bytes.length > 0; count--) {
    bytes = random.of(mutations)(bytes, random);
  }
  return bytes.subarray(0, 100_000);
}

const mutations: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    copy[random.below(copy.length)] = random.below(256);
    return copy;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => splice(bytes, random, random.of(tokens)),
  (bytes, random) => {
    const start = random.below(bytes.length);
    const part = bytes.subarray(start, start + random.below(200));
    return splice(
      bytes,
      random,
      Buffer.concat(Array.from({ length: 1 + random.below(8) }, () => part)),
    );
  },
  (bytes, random) => {
    const start = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + random.below(50))]);
  },
];

function splice(bytes: Buffer, random: Random, part: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
}

/** Changes one character of a path to another that a path may have. */
function mutatedPath(path: string, random: Random): string {
  const at = 1 + random.below(path.length);
  const character = random.of(["/", "%2f", "%00", "..", "?", "&", "=", "~", "%ff", "watch/", "é"]);
  return (
    encodeURI(path.slice(0, at)).replaceAll("%25", "%") +
    encodeURI(character).replaceAll("%25", "%") +
    path.slice(at)
  );
}
