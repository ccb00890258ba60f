// The OpenAPI documents of the server: built on first request, cached, and byte for byte the same for the
// same resources. They are built entry by entry, so that others have their turns meanwhile.

import { createHash } from "node:crypto";
import { schemaOf } from "../schema/registry.ts";
import type { Resource } from "../schema/resource.ts";
import { resources } from "../schema/resources.ts";
import { type CustomResource, customDefinitions, customName } from "./custom.ts";
import { type Dialect, define, dialects, type Json, reach } from "./definitions.ts";
import { type Entries, entriesOf, joinJson } from "./entries.ts";
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
  v2Json(): Promise<OpenApiDocument>;
  v2Protobuf(): Promise<OpenApiDocument>;
  /** The index of the v3 documents, each with its hash. */
  v3Index(): Promise<OpenApiDocument>;
  /** The document of a group and version: `api/v1`, `apis/apps/v1`. */
  v3(path: string): Promise<OpenApiDocument> | undefined;
}

export function buildOpenApi(options: {
  readonly customResources: readonly CustomResource[];
  /** The version of the cluster, e.g. `v1.36.0`. */
  readonly version: string;
  /** The v3 documents of other servers, which are listed only. */
  readonly remote?: readonly { readonly path: string; readonly url: string }[];
  /** Called between entries; others may have a turn then. */
  readonly pause?: () => Promise<void>;
}): OpenApi {
  const { customResources, version, remote = [], pause = async () => undefined } = options;
  const info = { title: "Tandem", version };
  const all: readonly CustomResource[] = [...resources, ...customResources];
  const customVersions = new Set(customResources.map(versionKey));
  const nameOf: NameOf = (gvk) =>
    (customVersions.has(versionKey(gvk)) ? undefined : schemaOf(gvk)?.name) ?? customName(gvk);
  const versions = Map.groupBy(all, versionKey);

  // The v2 document is rendered anew for each format: keeping the tree costs more memory than rendering costs
  // time.
  const v2 = () => ({
    paths: renderPaths(all, { render: renderPathV2, nameOf }),
    definitions: renderDefinitions(all, { dialect: dialects.v2, nameOf }),
  });
  const v2Json = once(async () => {
    const { paths, definitions } = v2();
    const head = `{"swagger":"2.0","info":${JSON.stringify(info)}`;
    const texts = [await joinJson(paths, pause), await joinJson(definitions, pause)];
    return document(`${head},"paths":${texts[0]},"definitions":${texts[1]}}`);
  });
  const v2Protobuf = once(async () =>
    document(await encodeDocument({ swagger: "2.0", info }, v2(), pause)),
  );
  const v3 = new Map(
    [...versions].map(([path, served]) => [
      path,
      once(async () => {
        const paths = renderPaths(served, { render: renderPathV3, nameOf });
        const schemas = renderDefinitions(served, { dialect: dialects.v3, nameOf });
        const head = `{"openapi":"3.0.0","info":${JSON.stringify(info)}`;
        const texts = [await joinJson(paths, pause), await joinJson(schemas, pause)];
        return document(`${head},"paths":${texts[0]},"components":{"schemas":${texts[1]}}}`);
      }),
    ]),
  );
  const v3Index = once(async () => {
    const paths: [string, { serverRelativeURL: string }][] = [];
    for (const [path, build] of v3) {
      const { hash } = await build();
      paths.push([path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
      await pause();
    }
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
): Entries {
  const paths = served.flatMap((resource) => pathsOf(resource, nameOf));
  return entriesOf(paths.map((path) => [path.path, () => render(path)]));
}

/** Renders the definitions that operations refer to, directly and indirectly. */
function renderDefinitions(
  served: readonly CustomResource[],
  { dialect, nameOf }: { dialect: Dialect; nameOf: NameOf },
): Entries {
  const custom = served.filter((resource) => nameOf(resource) === customName(resource));
  const own = new Map(custom.flatMap((resource) => customDefinitions(resource, dialect)));
  const mentioned = served
    .flatMap((resource) => pathsOf(resource, nameOf))
    .flatMap(({ operations }) => operations)
    .flatMap(({ body, answer, gvk }) => [body, answer, nameOf(gvk)])
    .filter((name): name is string => name !== undefined && !own.has(name));
  const names = reach([...mentioned, ...(own.size === 0 ? [] : metaOfCustom)]);
  return entriesOf([
    ...names.map((name) => [name, () => define(name, dialect)] as const),
    ...[...own].map(([name, definition]) => [name, () => definition] as const),
  ]);
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
