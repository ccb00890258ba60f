// The OpenAPI documents of the server: built on first request, cached, and byte for byte the same for the
// same resources.

import { createHash } from "node:crypto";
import { schemaOf } from "../schema/registry.ts";
import { type Resource, resources } from "../schema/resources.ts";
import { type CustomResource, customDefinitions, customName } from "./custom.ts";
import { type Dialect, define, dialects, type Json, reach } from "./definitions.ts";
import { encodeDocument } from "./gnostic.ts";
import { type NameOf, type Path, pathsOf } from "./operations.ts";
import { renderPath as renderPathV2 } from "./v2.ts";
import { renderPath as renderPathV3 } from "./v3.ts";

/** A document's bytes, and their hash for the ETag. */
export interface OpenApiDocument {
  readonly body: Uint8Array;
  readonly hash: string;
}

export interface OpenApi {
  v2Json(): OpenApiDocument;
  v2Protobuf(): OpenApiDocument;
  /** The index of the v3 documents, each with its hash. */
  v3Index(): OpenApiDocument;
  /** The document of a group and version: `api/v1`, `apis/apps/v1`. */
  v3(path: string): OpenApiDocument | undefined;
}

export function buildOpenApi(options: {
  readonly customResources: readonly CustomResource[];
  /** The version of the cluster, e.g. `v1.36.0`. */
  readonly version: string;
  /** The v3 documents of other servers, which are listed only. */
  readonly remote?: readonly { readonly path: string; readonly url: string }[];
}): OpenApi {
  const { customResources, version, remote = [] } = options;
  const info = { title: "Tandem", version };
  const all: readonly CustomResource[] = [...resources, ...customResources];
  const customVersions = new Set(customResources.map(versionKey));
  const nameOf: NameOf = (gvk) =>
    (customVersions.has(versionKey(gvk)) ? undefined : schemaOf(gvk)?.name) ?? customName(gvk);
  const versions = Map.groupBy(all, versionKey);

  // The v2 document is rendered anew for each format: keeping the tree costs more memory than rendering costs
  // time.
  const v2 = () => ({
    swagger: "2.0",
    info,
    paths: renderPaths(all, { render: renderPathV2, nameOf }),
    definitions: renderDefinitions(all, { dialect: dialects.v2, nameOf }),
  });
  const v2Json = once(() => document(JSON.stringify(v2())));
  const v2Protobuf = once(() => document(encodeDocument(v2())));
  const v3 = new Map(
    [...versions].map(([path, served]) => [
      path,
      once(() =>
        document(
          JSON.stringify({
            openapi: "3.0.0",
            info,
            paths: renderPaths(served, { render: renderPathV3, nameOf }),
            components: { schemas: renderDefinitions(served, { dialect: dialects.v3, nameOf }) },
          }),
        ),
      ),
    ]),
  );
  const v3Index = once(() => {
    const paths = [...v3].map(([path, build]) => [
      path,
      { serverRelativeURL: `/openapi/v3/${path}?hash=${build().hash}` },
    ]);
    const elsewhere = remote.map(({ path, url }) => [path, { serverRelativeURL: url }]);
    const listed = Object.fromEntries([...paths, ...elsewhere]) as Json;
    return document(JSON.stringify({ paths: listed }));
  });
  return { v2Json, v2Protobuf, v3Index, v3: (path) => v3.get(path)?.() };
}

function versionKey({ group, version }: { group: string; version: string }): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function renderPaths(
  served: readonly Resource[],
  { render, nameOf }: { render: (path: Path) => Json; nameOf: NameOf },
): Json {
  const paths = served.flatMap((resource) => pathsOf(resource, nameOf));
  return sortedObject(paths.map((path) => [path.path, render(path)]));
}

/** Renders the definitions that operations refer to, directly and indirectly. */
function renderDefinitions(
  served: readonly CustomResource[],
  { dialect, nameOf }: { dialect: Dialect; nameOf: NameOf },
): Json {
  const custom = served.filter((resource) => nameOf(resource) === customName(resource));
  const own = new Map(custom.flatMap((resource) => customDefinitions(resource, dialect)));
  const mentioned = served
    .flatMap((resource) => pathsOf(resource, nameOf))
    .flatMap(({ operations }) => operations)
    .flatMap(({ body, answer, gvk }) => [body, answer, nameOf(gvk)])
    .filter((name): name is string => name !== undefined && !own.has(name));
  const names = reach([...mentioned, ...(own.size === 0 ? [] : metaOfCustom)]);
  return sortedObject([
    ...names.map((name): [string, Json] => [name, define(name, dialect)]),
    ...own,
  ]);
}

function sortedObject(entries: readonly [string, Json][]): Json {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const metaOfCustom = [
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
];

function document(content: string | Uint8Array): OpenApiDocument {
  const body = typeof content === "string" ? Buffer.from(content) : content;
  return { body, hash: createHash("sha512").update(body).digest("hex").toUpperCase() };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
