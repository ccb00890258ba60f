import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { startServer, type TestServer } from "./testing/start.ts";
import { openWatch, take } from "./testing/watch.ts";

test("[API-1] HTTP/2 and HTTP/1.1 share a port", async () => {
  await using server = await startServer();
  const { authority: ca, client } = server;
  const session = connectHttp2(server.url, { ca, cert: client.certificate, key: client.key });
  const stream = session.request({ ":path": "/api/v1/namespaces/default" });
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  session.close();
  assert.equal(headers[":status"], 200);
  const { json } = await server.send("GET", "/api/v1/namespaces/default");
  assert.deepEqual(JSON.parse(text), json);
});

test("[API-1] a compressed answer over HTTP/2 comes without a warning of too many listeners", async () => {
  await using server = await startServer();
  const { authority: ca, client } = server;
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const session = connectHttp2(server.url, { ca, cert: client.certificate, key: client.key });
  try {
    const stream = session.request({ ":path": "/openapi/v2", "accept-encoding": "gzip" });
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    assert.equal(headers["content-encoding"], "gzip");
    stream.resume();
    await once(stream, "end");
    assert.deepEqual(warnings, []);
  } finally {
    session.destroy();
    process.off("warning", note);
  }
});

test("[API-3] a new certificate is for new connections, which clients still prove themselves on", async () => {
  await using server = await startServer();
  const { authority: ca, client } = server;
  const open = async (): Promise<{ session: ClientHttp2Session; serial: string }> => {
    const session = connectHttp2(server.url, { ca, cert: client.certificate, key: client.key });
    await once(session, "connect");
    const { serialNumber } = (session.socket as TLSSocket).getPeerCertificate();
    return { session, serial: serialNumber };
  };
  const status = async (session: ClientHttp2Session): Promise<unknown> => {
    const stream = session.request({ ":path": "/api/v1/namespaces/default" });
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    return headers[":status"];
  };
  const before = await open();
  await server.renewCertificate();
  const after = await open();
  assert.notEqual(after.serial, before.serial);
  for (const { session } of [before, after]) {
    assert.equal(await status(session), 200);
    session.destroy();
  }
});

test("[API-4] watches of both versions of HTTP end with their connections", async () => {
  await using server = await startServer();
  const { authority: ca, client } = server;
  const path = "/api/v1/namespaces?watch=true";
  const session = connectHttp2(server.url, { ca, cert: client.certificate, key: client.key });
  const streams = Array.from({ length: 3 }, () => session.request({ ":path": path }));
  await Promise.all(streams.map((stream) => once(stream, "data")));
  const watching = openWatch(server, path);
  await take(watching, 1);
  assert.equal(await watchers(server), 4);
  streams[0]?.close();
  await reached(server, 3);
  session.destroy();
  await watching.return(undefined);
  await reached(server, 0);
});

async function watchers(server: TestServer): Promise<number> {
  const { text } = await server.send("GET", "/metrics");
  return Number(/^apiserver_watchers (\d+)$/m.exec(text)?.[1]);
}

async function reached(server: TestServer, count: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  while ((await watchers(server)) !== count) {
    if (Date.now() > deadline) assert.fail(`not ${count} watchers`);
  }
}

const malformed: [name: string, text: string, status: RegExp][] = [
  ["what is not HTTP", "\u0000\u0001\u0002 nonsense\r\n\r\n", /^HTTP\/1.1 400 /],
  ["a path without end", `GET /${"a".repeat(100_000)} HTTP/1.1\r\n\r\n`, /^HTTP\/1.1 431 /],
  [
    "two lengths",
    "POST /api HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    /^HTTP\/1.1 400 /,
  ],
];
for (const [name, text, status] of malformed) {
  test(`[API-4] ${name} is refused with a Status`, async () => {
    await using server = await startServer();
    const answer = await sendRaw(server, text);
    assert.match(answer, status);
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as { kind: string };
    assert.equal(body.kind, "Status");
    assert.equal((await server.send("GET", "/version")).status, 200);
  });
}

async function sendRaw(server: TestServer, text: string): Promise<string> {
  const { port } = new URL(server.url);
  const socket = connect({ port: Number(port), host: "127.0.0.1", ca: server.authority });
  socket.write(text);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}
