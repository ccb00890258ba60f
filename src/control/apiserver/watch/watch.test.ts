import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import type { Store } from "../../store/store.ts";
import { startServer, type TestServer } from "../testing/start.ts";
import { openWatch, take, type WatchEvent } from "../testing/watch.ts";

const path = "/api/v1/namespaces/default/configmaps";
const timeout = 60_000;

describe("[API-1] watches", () => {
  let directory: string;
  let store: Store;
  let server: TestServer;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "apiserver-watch-"));
    store = await openEmbedded({ directory });
    server = await startServer({ store });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await store.close();
    await rm(directory, { recursive: true });
  });

  const revision = async () => {
    const { json } = await server.send("GET", path);
    return (json["metadata"] as { resourceVersion: string }).resourceVersion;
  };
  const create = (name: string, labels: Record<string, string> = {}) =>
    server.send("POST", path, { body: { metadata: { name, labels } } });
  const patch = (name: string, body: object) =>
    server.send("PATCH", `${path}/${name}`, {
      body: JSON.stringify(body),
      headers: { "content-type": "application/merge-patch+json" },
    });

  test("what starts to match appears, what ceases to match is gone", { timeout }, async () => {
    const from = await revision();
    const events = openWatch(
      server,
      `${path}?watch=true&resourceVersion=${from}&labelSelector=on%3Dyes`,
    );
    await create("matched", { on: "no" });
    await patch("matched", { metadata: { labels: { on: "yes" } } });
    await patch("matched", { data: { a: "1" } });
    await patch("matched", { metadata: { labels: { on: "no" } } });
    await create("other", { on: "yes" });
    const seen = await take(events, 4);
    await events.return(undefined);
    assert.deepEqual(seen.map(told), [
      "ADDED matched",
      "MODIFIED matched",
      "DELETED matched",
      "ADDED other",
    ]);
    assert.equal(seen[2]?.object.metadata?.labels?.["on"], "yes", "the last state that matched");
  });

  test("a watch goes on from before the server started", { timeout }, async () => {
    const from = await revision();
    await create("before-restart");
    await server.send("DELETE", `${path}/before-restart`);
    await using second = await startServer({ store });
    const events = openWatch(second, `${path}?watch=true&resourceVersion=${from}`);
    await second.send("POST", path, { body: { metadata: { name: "after-restart" } } });
    const seen = await take(events, 3);
    await events.return(undefined);
    assert.deepEqual(seen.map(told), [
      "ADDED before-restart",
      "DELETED before-restart",
      "ADDED after-restart",
    ]);
  });

  test("a watch from what is forgotten is an error event", { timeout }, async () => {
    const from = await revision();
    await create("forgotten");
    await store.compact(await store.revision());
    await using second = await startServer({ store });
    const events = openWatch(second, `${path}?watch=true&resourceVersion=${from}`);
    const [event] = await take(events, 2);
    assert.deepEqual(
      [event?.type, event?.object.kind, event?.object.code],
      ["ERROR", "Status", 410],
    );
  });

  test("without a version a watch starts with what is there", { timeout }, async () => {
    await create("present");
    const events = openWatch(server, `${path}?watch=1&fieldSelector=metadata.name%3Dpresent`);
    assert.deepEqual((await take(events, 1)).map(told), ["ADDED present"]);
    await server.send("DELETE", `${path}/present`);
    assert.deepEqual((await take(events, 1)).map(told), ["DELETED present"]);
    await events.return(undefined);
  });

  test("a watch ends when its time is up", { timeout }, async () => {
    const events = openWatch(
      server,
      `${path}?watch=true&resourceVersion=${await revision()}&timeoutSeconds=1`,
    );
    assert.deepEqual(await take(events, 1), []);
  });

  test("a watch that asks for tables gets each change as a table of one row", {
    timeout,
  }, async () => {
    const from = await revision();
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const events = openWatch(server, `${path}?watch=true&resourceVersion=${from}`, accept);
    await create("row");
    const [event] = await take(events, 1);
    await events.return(undefined);
    const { rows } = (event ?? assert.fail()).object as { rows: { cells: unknown[] }[] };
    assert.deepEqual(rows[0]?.cells.slice(0, 2), ["row", 0]);
  });

  test("those who ask for the same get the same bytes, whoever else watches", {
    timeout,
  }, async () => {
    const from = await revision();
    const same = Array.from({ length: 5 }, () =>
      openWatch(server, `${path}?watch=true&resourceVersion=${from}`),
    );
    const other = openWatch(server, `/api/v1/configmaps?watch=true&resourceVersion=${from}`);
    await create("shared");
    const seen = await Promise.all(
      [...same, other].map(async (events) => (await take(events, 1))[0]),
    );
    for (const events of [...same, other]) await events.return(undefined);
    for (const event of seen) assert.deepEqual(event, seen[0]);
  });

  test("[API-4] a client that does not keep up is cut off", { timeout: 180_000 }, async () => {
    const from = await revision();
    const sent = request(`${server.url}${path}?watch=true&resourceVersion=${from}`, {
      agent: server.agent,
    });
    sent.end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await create("large");
    const filler = "x".repeat(900_000);
    const rounds = 60;
    for (let round = 0; round < rounds; round++) {
      await patch("large", { data: { filler, round: String(round) } });
    }
    // Only now does it read what has gathered.
    let received = 0;
    const reading = (async () => {
      for await (const chunk of response) received += (chunk as Buffer).length;
    })();
    await assert.rejects(reading, { code: "ECONNRESET" });
    assert.ok(received < rounds * filler.length, `${received} bytes`);
    await server.send("DELETE", `${path}/large`);
  });

  const refused: [query: string, code: number][] = [
    ["sendInitialEvents=true", 422],
    ["sendInitialEvents=true&resourceVersionMatch=Exact", 422],
    ["resourceVersionMatch=NotOlderThan", 422],
    ["timeoutSeconds=soon", 400],
    ["resourceVersion=never", 400],
  ];
  for (const [query, code] of refused) {
    test(`[API-4] ${query} is refused`, async () => {
      const answer = await server.send("GET", `${path}?watch=true&${query}`);
      assert.equal(answer.status, code, answer.text);
    });
  }
});

function told({ type, object }: WatchEvent): string {
  return `${type} ${object.metadata?.name}`;
}
