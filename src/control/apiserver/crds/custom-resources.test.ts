import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CustomResourceDefinition } from "../../../api/types/apiextensions.ts";
import { startServer, type TestServer } from "../testing/start.ts";
import { openWatch, take } from "../testing/watch.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definition(kind: string, changes: Partial<CustomResourceDefinition["spec"]> = {}) {
  const plural = `${kind.toLowerCase()}s`;
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size" },
            {
              name: "Ready",
              type: "string",
              jsonPath: '.status.conditions[?(@.type=="Ready")].status',
            },
          ],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  required: ["size"],
                  properties: {
                    size: { type: "integer", minimum: 1 },
                    color: { type: "string", default: "red" },
                  },
                },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
        },
      ],
      ...changes,
    },
  };
}

describe("[API-1] custom resources", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const path = (plural: string) => `/apis/example.com/v1/namespaces/default/${plural}`;

  test("are served as soon as their definition is created, and established soon after", async () => {
    const created = await server.send("POST", crds, { body: definition("Gadget") });
    assert.equal(created.status, 201, created.text);
    const listed = await server.send("GET", path("gadgets"));
    assert.equal(listed.json["kind"], "GadgetList");
    await established(server, "gadgets.example.com");
  });

  test("get defaults, lose unknown fields, and are checked", async () => {
    await server.send("POST", crds, { body: definition("Part") });
    const object = { apiVersion: "example.com/v1", kind: "Part", metadata: { name: "a" } };
    const created = await server.send("POST", path("parts"), {
      body: { ...object, spec: { size: 2, other: true } },
    });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.json["spec"], { size: 2, color: "red" });
    const refused = await server.send("POST", path("parts"), {
      body: { ...object, metadata: { name: "b" }, spec: { size: 0 } },
    });
    assert.equal(refused.status, 422);
    assert.match(
      String(refused.json["message"]),
      /^Part\.example\.com "b" is invalid: spec\.size: Invalid value: 0: /,
    );
  });

  test("keep their status apart, and count generations", async () => {
    await server.send("POST", crds, { body: definition("Tool") });
    const object = { metadata: { name: "a" }, spec: { size: 1 }, status: { phase: "New" } };
    const { json } = await server.send("POST", path("tools"), { body: object });
    assert.equal(json["status"], undefined);
    const status = await server.send("PATCH", `${path("tools")}/a/status`, {
      body: JSON.stringify({ spec: { size: 9 }, status: { phase: "Ready" } }),
      headers: { "content-type": "application/merge-patch+json" },
    });
    assert.deepEqual(status.json["status"], { phase: "Ready" });
    assert.deepEqual(status.json["spec"], { size: 1, color: "red" });
    const spec = await server.send("PATCH", `${path("tools")}/a`, {
      body: JSON.stringify({ spec: { size: 9 } }),
      headers: { "content-type": "application/merge-patch+json" },
    });
    const generations = [json, status.json, spec.json].map(
      (each) => (each["metadata"] as { generation: number }).generation,
    );
    assert.deepEqual(generations, [1, 1, 2]);
  });

  test("are shown in the columns their definition names", async () => {
    await server.send("POST", crds, { body: definition("Sign") });
    await server.send("POST", path("signs"), {
      body: { metadata: { name: "a" }, spec: { size: 4 } },
    });
    await server.send("PATCH", `${path("signs")}/a/status`, {
      body: JSON.stringify({ status: { conditions: [{ type: "Ready", status: "True" }] } }),
      headers: { "content-type": "application/merge-patch+json" },
    });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { json } = await server.send("GET", path("signs"), { headers: { accept } });
    const { columnDefinitions, rows } = json as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    assert.deepEqual(
      columnDefinitions.map(({ name }) => name),
      ["Name", "Size", "Ready"],
    );
    assert.deepEqual(rows[0]?.cells, ["a", 4, "True"]);
  });

  test("take no strategic merge patches", async () => {
    await server.send("POST", crds, { body: definition("Plain") });
    await server.send("POST", path("plains"), {
      body: { metadata: { name: "a" }, spec: { size: 4 } },
    });
    const answer = await server.send("PATCH", `${path("plains")}/a`, {
      body: "{}",
      headers: { "content-type": "application/strategic-merge-patch+json" },
    });
    assert.equal(answer.status, 415);
  });

  test("go with their definition, finalizers first", { timeout: 60_000 }, async () => {
    await server.send("POST", crds, { body: definition("Leaf") });
    const held = { metadata: { name: "a", finalizers: ["example.com/x"] }, spec: { size: 1 } };
    await server.send("POST", path("leafs"), { body: held });
    const events = openWatch(
      server,
      `${crds}?watch=true&fieldSelector=metadata.name%3Dleafs.example.com`,
    );
    await server.send("DELETE", `${crds}/leafs.example.com`);
    let deleting: Record<string, unknown> = {};
    while ((deleting["metadata"] as Record<string, unknown>)?.["deletionTimestamp"] === undefined) {
      deleting = (await server.send("GET", `${path("leafs")}/a`)).json;
    }
    await server.send("PATCH", `${path("leafs")}/a`, {
      body: JSON.stringify({ metadata: { finalizers: null } }),
      headers: { "content-type": "application/merge-patch+json" },
    });
    for await (const { type } of events) if (type === "DELETED") break;
    assert.equal((await server.send("GET", path("leafs"))).status, 404);
  });

  test("are served in several versions, one of them stored", async () => {
    const spec = definition("Twin").spec;
    const [first] = spec.versions;
    const versions = [first, { ...first, name: "v2beta1", storage: false, deprecated: true }];
    const body = definition("Twin", { versions } as Partial<CustomResourceDefinition["spec"]>);
    const created = await server.send("POST", crds, { body });
    assert.equal(created.status, 201, created.text);
    await server.send("POST", path("twins"), {
      body: { metadata: { name: "a" }, spec: { size: 1 } },
    });
    const beta = "/apis/example.com/v2beta1/namespaces/default/twins";
    const read = await server.send("GET", `${beta}/a`);
    assert.equal(read.json["apiVersion"], "example.com/v2beta1");
    assert.equal(read.headers["warning"], '299 - "example.com/v2beta1 Twin is deprecated"');
    const watched = openWatch(server, `${beta}?watch=true`);
    const [event] = await take(watched, 1);
    await watched.return(undefined);
    assert.equal(event?.object.kind, "Twin");
    const group = await server.send("GET", "/apis/example.com");
    assert.deepEqual(group.json["preferredVersion"], {
      groupVersion: "example.com/v1",
      version: "v1",
    });
  });

  const wrong: [name: string, spec: object, message: RegExp][] = [
    [
      "without a schema",
      { versions: [{ name: "v1", served: true, storage: true }] },
      /schemas are required/,
    ],
    [
      "stored in no version",
      {
        versions: [
          {
            name: "v1",
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: "object" } },
          },
        ],
      },
      /exactly one version marked as storage/,
    ],
    [
      "converted by a webhook that nobody can reach",
      { conversion: { strategy: "Webhook" } },
      /spec\.conversion\.webhook\.clientConfig: Required value/,
    ],
    [
      "converted by magic",
      { conversion: { strategy: "Magic" } },
      /spec\.conversion\.strategy: Unsupported value/,
    ],
    ["of no scope", { scope: "Galaxy" }, /spec\.scope: Unsupported value: "Galaxy"/],
  ];
  for (const [name, changes, message] of wrong) {
    test(`cannot be ${name}`, async () => {
      const answer = await server.send("POST", crds, { body: definition("Wrong", changes) });
      assert.equal(answer.status, 422);
      assert.match(String(answer.json["message"]), message);
    });
  }

  test("cannot take a name that another has", async () => {
    const names = { plural: "claims", kind: "Claim", shortNames: ["xx"] };
    await server.send("POST", crds, { body: definition("Claim", { names }) });
    await established(server, "claims.example.com");
    const other = { plural: "clowns", kind: "Clown", shortNames: ["xx"] };
    await server.send("POST", crds, { body: definition("Clown", { names: other }) });
    assert.equal(await condition(server, "clowns.example.com", "NamesAccepted"), "False");
    assert.equal((await server.send("GET", path("clowns"))).status, 404);
  });
});

async function established(server: TestServer, name: string): Promise<void> {
  assert.equal(await condition(server, name, "Established"), "True");
}

/** The status of a condition, once there is one. */
async function condition(server: TestServer, name: string, wanted: string): Promise<string> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const { json } = await server.send("GET", `${crds}/${name}`);
    const { conditions = [] } = (json as Partial<CustomResourceDefinition>).status ?? {};
    const found = conditions.find(({ type }) => type === wanted);
    if (found !== undefined) return found.status;
  }
  throw new Error(`Cannot find condition ${wanted} of ${name}`);
}
