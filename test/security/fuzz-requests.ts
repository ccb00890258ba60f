// Requests of every format, with mistakes at random: valid ones whose bytes are changed, cut, doubled or
// replaced by what parsers stumble over.
import { encodeProtobuf } from "../../src/api/protobuf/envelope.ts";
import type { Resource } from "../../src/api/schema/resource.ts";
import { resources } from "../../src/api/schema/resources.ts";
import type { JsonObject } from "../../src/base/json/value.ts";
import { queries, sample } from "./fuzz-samples.ts";
import { Random } from "./random.ts";

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
      accept: path.startsWith("/openapi") ? random.of(documentTypes) : random.of(accepted),
      path: random.chance(0.1) && !path.endsWith("dryRun=All") ? mutatedPath(path, random) : path,
      body: random.chance(0.9) ? mutated(body, random) : body,
    };
  };
}

type Made = Omit<FuzzedRequest, "accept">;

const accepted = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  "application/vnd.kubernetes.protobuf;stream=watch",
  "application/cbor",
  "application/json;q=x,,;as=Nothing",
  "*/*",
];

const written = resources.filter(
  ({ verbs, namespaced, plural }) =>
    verbs.includes("create") && (namespaced || plural.endsWith("reviews")),
);
/** Documents that the server builds when they are asked for. */
const documents = ["/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1", "/apis", "/metrics"];
const documentTypes = [
  "application/json",
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
];
/** Kinds of the whole cluster are only checked, so that no run changes what the server does. */
const checked = resources.filter(
  ({ verbs, namespaced }) => verbs.includes("create") && !namespaced,
);

const makers: readonly ((random: Random) => Made)[] = [
  (random) => creation(random, "application/json", jsonOf),
  (random) => creation(random, "application/yaml", yamlOf),
  (random) => creation(random, "application/vnd.kubernetes.protobuf", protobufOf),
  // No format of a body that is served: it must be refused before it is read.
  (random) => creation(random, "application/cbor", protobufOf),
  (random) => check(random),
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
    method: random.of(["GET", "GET", "GET", "DELETE", "HEAD", "OPTIONS"]),
    path: random.chance(0.01)
      ? random.of(documents)
      : `${pathOf(random.of(written))}${random.of(queries)}`,
    type: "application/json",
    body: Buffer.alloc(0),
  }),
];

function creation(random: Random, type: string, encode: (object: JsonObject) => Buffer): Made {
  const resource = random.of(written);
  return { method: "POST", path: pathOf(resource), type, body: encode(sample(resource, random)) };
}

function check(random: Random): Made {
  const resource = random.of(checked);
  const [type, encode] = random.of([
    ["application/json", jsonOf],
    ["application/yaml", yamlOf],
    ["application/vnd.kubernetes.protobuf", protobufOf],
  ] as const);
  const path = `${pathOf(resource)}?dryRun=All`;
  return { method: "POST", path, type, body: encode(sample(resource, random)) };
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
