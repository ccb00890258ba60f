import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import type { Store } from "../../store/store.ts";
import { type Answer, startServer, type TestServer } from "../testing/start.ts";

const path = "/api/v1/namespaces/default/configmaps";

describe("[API-1] lists", () => {
  let directory: string;
  let store: Store;
  let server: TestServer;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "apiserver-lists-"));
    store = await openEmbedded({ directory });
    server = await startServer({ store });
    for (const name of ["a", "b", "c", "d"]) {
      const labels = { even: name === "b" || name === "d" ? "yes" : "no" };
      await server.send("POST", path, { body: { metadata: { name, labels }, data: { name } } });
    }
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await store.close();
    await rm(directory, { recursive: true });
  });

  const list = (query: string) => server.send("GET", `${path}?${query}`);

  test("label and field selectors choose", async () => {
    assert.deepEqual(names(await list("labelSelector=even%3Dyes")), ["b", "d"]);
    assert.deepEqual(names(await list("labelSelector=even+notin+(yes)")), ["a", "c"]);
    assert.deepEqual(names(await list("fieldSelector=metadata.name%3Dc")), ["c"]);
    assert.deepEqual(names(await list("fieldSelector=metadata.name!%3Dc")), ["a", "b", "d"]);
    assert.deepEqual(
      names(await list("fieldSelector=metadata.name%3Dc&labelSelector=even%3Dyes")),
      [],
    );
    const wrong = await list("fieldSelector=data.name%3Dc");
    assert.deepEqual(
      [wrong.status, wrong.json["message"]],
      [400, "field label not supported: data.name"],
    );
    assert.equal((await list("labelSelector=%3D%3D")).status, 400);
  });

  test("pages and selectors go together", async () => {
    const first = await list("limit=1&labelSelector=even%3Dyes");
    assert.deepEqual(names(first), ["b"]);
    const { continue: token, remainingItemCount } = metadata(first);
    assert.equal(remainingItemCount, undefined);
    const second = await list(`limit=1&labelSelector=even%3Dyes&continue=${token}`);
    assert.deepEqual(names(second), ["d"]);
    assert.equal(metadata(second).continue, undefined);
  });

  test("a page goes on after a restart, from the same state", async () => {
    const first = await list("limit=2");
    const { continue: token, resourceVersion } = metadata(first);
    await server.send("POST", path, { body: { metadata: { name: "bb" } } });
    await server.send("POST", path, { body: { metadata: { name: "e" } } });
    await using second = await startServer({ store });
    const rest = await second.send("GET", `${path}?limit=10&continue=${token}`);
    assert.deepEqual(names(rest), ["c", "d"]);
    assert.equal(metadata(rest).resourceVersion, resourceVersion);
    for (const name of ["bb", "e"]) await second.send("DELETE", `${path}/${name}`);
  });

  test("a page whose state is forgotten says so, and how to go on", async () => {
    const first = await list("limit=2");
    const { continue: token } = metadata(first);
    await server.send("POST", path, { body: { metadata: { name: "cc" } } });
    await store.compact(await store.revision());
    await using second = await startServer({ store });
    const expired = await second.send("GET", `${path}?limit=10&continue=${token}`);
    assert.deepEqual([expired.status, expired.json["reason"]], [410, "Expired"]);
    const rest = await second.send(
      "GET",
      `${path}?limit=10&continue=${metadata(expired).continue}`,
    );
    assert.deepEqual(names(rest), ["c", "cc", "d"]);
    await second.send("DELETE", `${path}/cc`);
  });

  test("resourceVersion says how new the answer must be", async () => {
    const { resourceVersion } = metadata(await list(""));
    await server.send("POST", path, { body: { metadata: { name: "f" } } });
    const exact = await list(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    assert.deepEqual(names(exact), ["a", "b", "c", "d"]);
    const newer = await list(
      `resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`,
    );
    assert.deepEqual(names(newer), ["a", "b", "c", "d", "f"]);
    assert.deepEqual(names(await list("resourceVersion=0")), ["a", "b", "c", "d", "f"]);
    await server.send("DELETE", `${path}/f`);
    const future = await list("resourceVersion=999999999");
    assert.equal(future.status, 504);
    assert.match(String(future.json["message"]), /Too large resource version: 999999999/);
  });

  const refused: [query: string, code: number][] = [
    ["resourceVersionMatch=Exact", 422],
    ["resourceVersion=1&resourceVersionMatch=Sometimes", 422],
    ["resourceVersion=0&resourceVersionMatch=Exact", 422],
    ["resourceVersion=-1", 400],
    ["resourceVersion=01", 400],
    ["limit=-1", 400],
    ["limit=x", 400],
    ["continue=x", 400],
    ["continue=bm9wZQ", 400],
  ];
  for (const [query, code] of refused) {
    test(`[API-4] ${query} is refused`, async () => {
      const answer = await list(query);
      assert.equal(answer.status, code, answer.text);
      assert.equal(answer.json["kind"], "Status");
    });
  }

  test("forms: YAML, metadata alone, tables with and without objects", async () => {
    const get = (accept: string, query = "") =>
      server.send("GET", `${path}/a${query}`, { headers: { accept } });
    const yaml = await get("application/yaml");
    assert.equal(yaml.headers["content-type"], "application/yaml");
    assert.match(yaml.text, /^kind: ConfigMap\napiVersion: v1\nmetadata:\n/);
    const partial = await get("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    assert.deepEqual(
      [partial.json["kind"], "data" in partial.json],
      ["PartialObjectMetadata", false],
    );
    const table = await get("application/json;as=Table;v=v1;g=meta.k8s.io", "?includeObject=None");
    const [row] = table.json["rows"] as { cells: unknown[]; object?: object }[];
    assert.deepEqual([row?.cells.slice(0, 2), row?.object], [["a", 1], undefined]);
    const full = await get("application/json;as=Table;v=v1;g=meta.k8s.io", "?includeObject=Object");
    const [carried] = full.json["rows"] as { object: { data: object } }[];
    assert.deepEqual(carried?.object.data, { name: "a" });
    assert.equal((await get("image/png")).status, 406);
    const pretty = await server.send("GET", `${path}/a?pretty=true`);
    assert.match(pretty.text, /^\{\n {2}"kind": "ConfigMap",\n/);
  });

  test("long lists are compressed for those who can read it", async () => {
    const data = { filler: "x".repeat(100_000) };
    for (const name of ["x1", "x2", "x3"]) {
      await server.send("POST", path, { body: { metadata: { name }, data } });
    }
    const plain = await list("labelSelector=!even");
    const headers = { "accept-encoding": "gzip" };
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const { get } = await import("node:https");
    get(
      `${server.url}${path}?labelSelector=!even`,
      { agent: server.agent, headers },
      (response) => {
        assert.equal(response.headers["content-encoding"], "gzip");
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve(Buffer.concat(chunks)));
      },
    ).on("error", reject);
    assert.deepEqual(JSON.parse(gunzipSync(await promise).toString()), plain.json);
    for (const name of ["x1", "x2", "x3"]) await server.send("DELETE", `${path}/${name}`);
  });
});

function names({ json, text }: Answer): string[] {
  const { items } = json as { items?: { metadata: { name: string } }[] };
  return (items ?? assert.fail(text)).map((item) => item.metadata.name);
}

interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

function metadata({ json }: Answer): ListMeta {
  return json["metadata"] as ListMeta;
}
