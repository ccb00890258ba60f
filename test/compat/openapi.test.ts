// Genuine kubectl programs read our OpenAPI documents from a server that has nothing but discovery
// and those documents, and that answers a POST with its own body.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { buildOpenApi } from "../../src/api/openapi/build.ts";
import type { CustomResource } from "../../src/api/openapi/custom.ts";
import { resources } from "../../src/api/schema/resources.ts";

const root = new URL("../../", import.meta.url).pathname;
const run = promisify(execFile);

const widget: CustomResource = {
  group: "example.org",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
  schema: {
    type: "object",
    description: "A thing made for this test.",
    properties: {
      spec: {
        type: "object",
        required: ["size"],
        properties: {
          size: { type: "integer", description: "How large the widget is.", minimum: 1 },
          port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }] },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    },
  },
};

const served = [...resources, widget];
const openApi = buildOpenApi({ customResources: [widget], version: "v1.36.0" });
const posts: { url: string; body: string }[] = [];
let server: Server;
let folder: string;
let address: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "openapi-"));
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

for (const version of ["1.20", "1.32", "1.36"]) {
  describe(`[API-1] kubectl ${version}`, () => {
    let program: string;

    before(() => {
      program = execFileSync(join(root, "tools/fetch-kubectl"), [version]).toString().trim();
    });

    async function kubectl(...parameters: string[]): Promise<string> {
      const { stdout } = await run(
        program,
        [`--server=${address}`, `--cache-dir=${join(folder, version)}`, ...parameters],
        { env: { HOME: folder, PATH: "/usr/bin:/bin" }, timeout: 60_000 },
      );
      return stdout;
    }

    function manifest(name: string, object: unknown): string {
      const file = join(folder, `${version}-${name}.json`);
      writeFileSync(file, JSON.stringify(object));
      return file;
    }

    test("explains what the project adds to pods, services and endpoints", async () => {
      const podIPs = await kubectl("explain", "pod.status.podIPs");
      assert.match(podIPs, /All addresses of the pod; the first equals podIP/);
      assert.match(podIPs, /properties\s+<map\[string\]string>/);
      const family = await kubectl("explain", "service.spec.endpointFamily");
      assert.match(family, /Which addresses of a backend count/);
      assert.match(family, /<string>/);
      const ips = await kubectl("explain", "endpoints.subsets.addresses.ips");
      assert.match(ips, /<\[\]string>/);
    });

    test("explains every served kind and a custom one", async () => {
      for (const { group, version: own, plural, kind, verbs } of served) {
        if (!verbs.includes("get")) continue;
        // kubectl 1.20 looks for the kind Node in the group of the plural "nodes", whichever that is.
        if (version === "1.20" && group === "metrics.k8s.io") continue;
        const text = await kubectl(
          "explain",
          plural,
          `--api-version=${[group, own].filter(Boolean).join("/")}`,
        );
        assert.match(text, new RegExp(`KIND:\\s+${kind}\\n`), plural);
      }
      assert.match(await kubectl("explain", "widget.spec.size"), /How large the widget is/);
    });

    test("finds the dryRun parameter, and checks fields", async () => {
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "web", namespace: "default" },
        spec: {
          containers: [{ name: "web", image: "web", ports: [{ containerPort: 80 }] }],
          volumes: [{ name: "scratch", emptyDir: { sizeLimit: "1Gi" } }],
        },
        status: { podIPs: [{ ip: "10.0.0.2", properties: { net: "blue" } }] },
      };
      await kubectl("create", "--dry-run=server", "-f", manifest("pod", pod));
      const sent = posts.at(-1);
      assert.match(sent?.url ?? "", /\/pods\?.*dryRun=All/);
      assert.deepEqual(JSON.parse(sent?.body ?? ""), pod);

      const custom = {
        apiVersion: "example.org/v1",
        kind: "Widget",
        metadata: { name: "w", namespace: "default" },
        spec: { size: 1, port: "http", free: { anything: [1] } },
      };
      await kubectl("create", "--dry-run=server", "-f", manifest("widget", custom));
      assert.deepEqual(JSON.parse(posts.at(-1)?.body ?? ""), custom);

      const sentBefore = posts.length;
      const wrong = manifest("wrong", { ...custom, spec: { size: 1, colour: "red" } });
      const create = kubectl("create", "--validate=true", "-f", wrong);
      if (version === "1.20") {
        await assert.rejects(create, /unknown field "colour"/);
        assert.equal(posts.length, sentBefore);
      } else {
        await create;
        assert.match(posts.at(-1)?.url ?? "", /fieldValidation=Strict/);
      }
    });
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "POST") {
    const body = Buffer.concat(await request.toArray()).toString();
    posts.push({ url: request.url ?? "", body });
    send(response, body, "application/json");
    return;
  }
  const found =
    (await openApiDocument(url.pathname, request.headers.accept ?? "")) ?? discovery(url.pathname);
  if (found === undefined) {
    response.statusCode = 404;
    send(
      response,
      JSON.stringify({ kind: "Status", status: "Failure", code: 404 }),
      "application/json",
    );
  } else {
    send(response, found.body, found.type);
  }
}

function send(response: ServerResponse, body: Uint8Array | string, type: string): void {
  response.setHeader("content-type", type);
  response.end(body);
}

interface Found {
  readonly body: Uint8Array | string;
  readonly type: string;
}

async function openApiDocument(path: string, accept: string): Promise<Found | undefined> {
  const type = "application/json";
  if (path === "/openapi/v2") {
    return accept.includes("com.github.proto-openapi")
      ? {
          body: (await openApi.v2Protobuf()).body,
          type: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
        }
      : { body: (await openApi.v2Json()).body, type };
  }
  if (path === "/openapi/v3") return { body: (await openApi.v3Index()).body, type };
  const document =
    path.startsWith("/openapi/v3/") && (await openApi.v3(path.slice("/openapi/v3/".length)));
  return document ? { body: document.body, type } : undefined;
}

function discovery(path: string): Found | undefined {
  const groups = Map.groupBy(served, ({ group }) => group);
  const versions = (group: string) =>
    [...new Set((groups.get(group) ?? []).map(({ version }) => version))].map((version) => ({
      groupVersion: group === "" ? version : `${group}/${version}`,
      version,
    }));
  const named = (group: string) => ({
    name: group,
    versions: versions(group),
    preferredVersion: versions(group)[0],
  });
  const [, prefix, first, second] = path.split("/");
  let body: unknown;
  if (path === "/version") body = { major: "1", minor: "36", gitVersion: "v1.36.0" };
  else if (path === "/api") body = { kind: "APIVersions", versions: ["v1"] };
  else if (path === "/apis") {
    body = {
      kind: "APIGroupList",
      groups: [...groups.keys()].filter((group) => group !== "").map(named),
    };
  } else if (prefix === "api" || second !== undefined) {
    const [group, version] = prefix === "api" ? ["", first] : [first, second];
    const rows = served.filter((each) => each.group === group && each.version === version);
    if (rows.length === 0) return undefined;
    body = {
      kind: "APIResourceList",
      groupVersion: group === "" ? version : `${group}/${version}`,
      resources: rows.map(({ plural, singular, kind, namespaced, verbs, shortNames }) => ({
        name: plural,
        singularName: singular,
        kind,
        namespaced,
        verbs,
        shortNames,
      })),
    };
  } else if (prefix === "apis" && first !== undefined && groups.has(first)) {
    body = { kind: "APIGroup", ...named(first) };
  }
  return body === undefined ? undefined : { body: JSON.stringify(body), type: "application/json" };
}
