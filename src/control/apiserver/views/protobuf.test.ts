import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { after, before, describe, test } from "node:test";
import { decodeProtobuf, encodeProtobuf, protobufType } from "../../../api/protobuf/envelope.ts";
import { startServer, type TestServer } from "../testing/start.ts";

const path = "/api/v1/namespaces/default/configmaps";
const headers = { accept: protobufType };

describe("[API-1] a client that takes protobuf alone", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
    await server.send("POST", path, { body: { metadata: { name: "a" }, data: { k: "v" } } });
  });
  after(() => server[Symbol.asyncDispose]());

  test("gets an object in protobuf that equals its JSON", async () => {
    const { status, headers: answered, bytes } = await server.send("GET", `${path}/a`, { headers });
    assert.equal(status, 200);
    assert.equal(answered["content-type"], protobufType);
    const json = (await server.send("GET", `${path}/a`)).json;
    assert.deepEqual(decodeProtobuf(bytes), json);
  });

  test("creates one, and gets it back", async () => {
    const body = encodeProtobuf({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } });
    const { status, bytes } = await server.send("POST", path, {
      body,
      headers: { ...headers, "content-type": protobufType },
    });
    assert.equal(status, 201);
    assert.partialDeepStrictEqual(decodeProtobuf(bytes), { metadata: { name: "b" } });
    const deleted = await server.send("DELETE", `${path}/b`, { headers });
    assert.partialDeepStrictEqual(decodeProtobuf(deleted.bytes), { status: "Success" });
  });

  test("gets a list in pages, with what is left told", async () => {
    const fill = (name: string) => server.send("POST", path, { body: { metadata: { name } } });
    for (const name of ["l1", "l2", "l3"]) await fill(name);
    const { bytes } = await server.send("GET", `${path}?limit=2`, { headers });
    const list = decodeProtobuf(bytes);
    const plain = (await server.send("GET", `${path}?limit=2`)).json;
    const items = plain["items"] as { apiVersion: string; kind: string }[];
    assert.deepEqual(
      list["items"],
      items.map((item) => {
        const { apiVersion: _, kind: __, ...rest } = item;
        return rest;
      }),
    );
    assert.equal((list["metadata"] as { remainingItemCount?: number }).remainingItemCount, 2);
    for (const name of ["l1", "l2", "l3"]) await server.send("DELETE", `${path}/${name}`);
  });

  test("gets the Status of what is wrong", async () => {
    const missing = await server.send("GET", `${path}/missing`, { headers });
    assert.equal(missing.headers["content-type"], protobufType);
    assert.partialDeepStrictEqual(decodeProtobuf(missing.bytes), {
      kind: "Status",
      reason: "NotFound",
      code: 404,
    });
    const wrong = await server.send("POST", path, {
      body: Buffer.from("k8s\0nonsense"),
      headers: { ...headers, "content-type": protobufType },
    });
    assert.equal(decodeProtobuf(wrong.bytes)["code"], 400);
  });

  test("gets metadata alone, but no table", async () => {
    const as = `${protobufType};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`;
    const { bytes } = await server.send("GET", path, { headers: { accept: as } });
    assert.partialDeepStrictEqual(decodeProtobuf(bytes), { kind: "PartialObjectMetadataList" });
    const table = `${protobufType};as=Table;v=v1;g=meta.k8s.io`;
    assert.equal((await server.send("GET", path, { headers: { accept: table } })).status, 406);
  });

  test("sees a service's endpoint family, which no stock client knows", async () => {
    const services = "/api/v1/namespaces/default/services";
    await server.send("POST", services, {
      body: { metadata: { name: "s" }, spec: { ports: [{ port: 80 }], endpointFamily: "ipv4" } },
    });
    const { bytes } = await server.send("GET", `${services}/s`, { headers });
    assert.partialDeepStrictEqual(decodeProtobuf(bytes), { spec: { endpointFamily: "ipv4" } });
  });

  test("gets the events of a watch as protobuf frames", async () => {
    const sent = request(`${server.url}${path}?watch=true`, { agent: server.agent, headers });
    sent.end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    assert.equal(response.headers["content-type"], `${protobufType};stream=watch`);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      const all = Buffer.concat(chunks);
      if (all.length < 4 || all.length < all.readUInt32BE() + 4) continue;
      const event = all.subarray(4, all.readUInt32BE() + 4);
      const start = event.indexOf("k8s\0");
      assert.equal(event.subarray(2, 7).toString(), "ADDED");
      assert.partialDeepStrictEqual(decodeProtobuf(event.subarray(start)), { kind: "ConfigMap" });
      break;
    }
    sent.destroy();
  });
});

test("[API-1] a review asked for as a table is refused with 406", async () => {
  await using server = await startServer();
  const { status } = await server.send(
    "POST",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    { body: {}, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } },
  );
  assert.equal(status, 406);
});
