import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import fc from "fast-check";
import { encodeFrame, type Frame, FrameReader, SpdyError } from "./frames.ts";
import { SpdySession } from "./session.ts";
import type { SpdyStream } from "./stream.ts";

/** Two ends of a connection over loopback. */
async function pair(onStream: (stream: SpdyStream) => void) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  const [other] = (await once(server, "connection")) as [Socket];
  server.close();
  const client = new SpdySession(socket, { isClient: true, onStream: () => undefined });
  const remote = new SpdySession(other, { onStream });
  return { client, remote, socket, other };
}

test("[API-1] streams carry headers and megabytes both ways at once, and end each way apart", async () => {
  const { client, remote } = await pair((stream) => stream.pipe(stream));
  const bodies = [randomBytes(3_000_000), randomBytes(200_000), Buffer.alloc(0)];
  const echoed = await Promise.all(
    bodies.map(async (body, index) => {
      const stream = client.open(new Map([["streamtype", `s${index}`]]));
      stream.end(body);
      return await buffer(stream);
    }),
  );
  for (const [index, body] of bodies.entries())
    assert.ok(body.equals(echoed[index] ?? Buffer.of(1)));
  client.end();
  remote.end();
  await Promise.all([client.closed, remote.closed]);
});

test("[API-1] what is not read holds the sender back", async () => {
  const arrived = Promise.withResolvers<SpdyStream>();
  const { client, remote } = await pair(arrived.resolve);
  const stream = client.open(new Map([["streamtype", "stdin"]]));
  let isWritten = false;
  stream.write(Buffer.alloc(50_000_000), () => {
    isWritten = true;
  });
  const stuck = await arrived.promise;
  while (stuck.readableLength < 64 * 1024) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(stuck.readableLength <= 128 * 1024, String(stuck.readableLength));
  assert.equal(isWritten, false);
  stream.end();
  assert.equal((await buffer(stuck)).length, 50_000_000);
  client.destroy();
  remote.destroy();
  await Promise.all([client.closed, remote.closed]);
});

test("[API-4] nonsense closes the connection and nothing else", async () => {
  const { remote, socket } = await pair(() => undefined);
  socket.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
  socket.write(Buffer.alloc(64, 0xff));
  await remote.closed;
});

const id = fc.integer({ min: 0, max: 0x7fff_ffff });
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const frames: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ type: fc.constant("data" as const), stream: id, fin: fc.boolean(), data: bytes }),
  fc.record({
    type: fc.constant("synStream" as const),
    stream: id,
    fin: fc.boolean(),
    headers: bytes,
  }),
  fc.record({
    type: fc.constant("synReply" as const),
    stream: id,
    fin: fc.boolean(),
    headers: bytes,
  }),
  fc.record({ type: fc.constant("rstStream" as const), stream: id, status: id }),
  fc.record({ type: fc.constant("windowUpdate" as const), stream: id, delta: id }),
  fc.record({ type: fc.constant("ping" as const), id }),
  fc.record({ type: fc.constant("goAway" as const), lastStream: id, status: id }),
);

test("[API-1] frames survive encoding, however the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(frames), fc.integer({ min: 1, max: 30 }), (list, size) => {
      const encoded = Buffer.concat(list.map(encodeFrame));
      const reader = new FrameReader();
      const read: Frame[] = [];
      for (let at = 0; at < encoded.length; at += size) {
        read.push(...reader.push(encoded.subarray(at, at + size)));
      }
      assert.deepEqual(
        read,
        list.map((frame) => ({ ...frame })),
      );
    }),
  );
});

test("[API-4] any bytes are frames or a protocol error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (input) => {
      try {
        Array.from(new FrameReader().push(Buffer.from(input)));
      } catch (error) {
        assert.ok(error instanceof SpdyError);
      }
    }),
  );
});
