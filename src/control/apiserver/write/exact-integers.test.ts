import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../testing/start.ts";

const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
const pods = "/api/v1/namespaces/default/pods";
const large = "3546343826724305833";
const largest = "9223372036854775807";
const json = { "content-type": "application/json" };

describe("[API-12] integers of 64 bits", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const create = (name: string, revision: string) =>
    server.send("POST", revisions, {
      headers: json,
      body: `{"metadata":{"name":"${name}"},"revision":${revision},"data":{"n":[${revision}]}}`,
    });

  test("are stored and answered as they were given", async () => {
    assert.equal((await create("kept", large)).status, 201);
    const { text } = await server.send("GET", `${revisions}/kept`);
    assert.match(text, new RegExp(`"revision":${large}\\b`));
    assert.match(text, new RegExp(`"data":\\{"n":\\[${large}\\]\\}`));
    const yaml = await server.send("GET", `${revisions}/kept`, {
      headers: { accept: "application/yaml" },
    });
    assert.match(yaml.text, new RegExp(`revision: ${large}\\b`));
  });

  const patches: [type: string, body: string][] = [
    ["merge-patch+json", `{"revision":${largest}}`],
    ["strategic-merge-patch+json", `{"revision":${largest}}`],
    [
      "json-patch+json",
      `[{"op":"test","path":"/revision","value":${large}},{"op":"replace","path":"/revision","value":${largest}}]`,
    ],
    [
      "apply-patch+yaml",
      `apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: apply}\nrevision: ${largest}\n`,
    ],
  ];
  for (const [type, body] of patches) {
    test(`survive a patch of type ${type}`, async () => {
      const name = type.split("-")[0] ?? "";
      await create(name, large);
      const { status, text } = await server.send(
        "PATCH",
        `${revisions}/${name}?fieldManager=me${name === "apply" ? "&force=true" : ""}`,
        { body, headers: { "content-type": `application/${type}` } },
      );
      assert.equal(status, 200, text);
      assert.match(text, new RegExp(`"revision":${largest}\\b`));
      const again = await server.send("PATCH", `${revisions}/${name}`, {
        body: '{"metadata":{"labels":{"a":"b"}}}',
        headers: { "content-type": "application/merge-patch+json" },
      });
      assert.match(again.text, new RegExp(`"revision":${largest}\\b`));
    });
  }

  test("beyond 64 bits are refused, with the field named", async () => {
    const { status, json: answer } = await create("beyond", "9223372036854775808");
    assert.equal(status, 400);
    assert.match(String(answer["message"]), /revision/);
  });

  test("are refused where only 32 bits fit", async () => {
    const { status } = await server.send("POST", "/api/v1/namespaces/default/services", {
      headers: json,
      body: `{"metadata":{"name":"s"},"spec":{"ports":[{"port":${large}}]}}`,
    });
    assert.equal(status, 400);
  });

  test("as a grace period end the pod in the last year there is", async () => {
    const spec = `{"nodeName":"n","terminationGracePeriodSeconds":${largest},"containers":[{"name":"a","image":"b"}]}`;
    const made = await server.send("POST", pods, {
      headers: json,
      body: `{"metadata":{"name":"long"},"spec":${spec}}`,
    });
    assert.equal(made.status, 201, made.text);
    const { status, text } = await server.send("DELETE", `${pods}/long`);
    assert.equal(status, 200, text);
    assert.match(text, /"deletionTimestamp":"9999-12-31T23:59:59Z"/);
    await server.send("DELETE", `${pods}/long`, { body: { gracePeriodSeconds: 0 } });
  });
});
