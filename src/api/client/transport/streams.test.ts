import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { ApiError } from "../errors.ts";
import { answer, failure, Peer } from "./testing/transport.ts";

describe("streams and upgrades", { timeout: 120_000 }, () => {
  let peer: Peer;
  beforeEach(async () => {
    peer = new Peer();
    await peer.start();
  });
  afterEach(() => peer.stop());

  test("a stream comes piece by piece, and breaking off closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    peer.handler = (request, response) => {
      request.socket.once("close", () => closed.resolve());
      response.write("one");
      setImmediate(() => response.write("two"));
    };
    const { body } = await peer.connect().open({ method: "GET", path: "/watch" });
    let text = "";
    for await (const chunk of body) {
      text += chunk.toString();
      if (text === "onetwo") break;
    }
    await closed.promise;
  });

  test("a stream has no end of time once it has begun, but heeds the signal", async () => {
    const abort = new AbortController();
    const clock = new FakeClock();
    const late = Promise.withResolvers<() => void>();
    peer.handler = (_, response) => {
      response.write("one");
      late.resolve(() => response.write("two"));
    };
    const transport = peer.connect({ clock });
    const { signal } = abort;
    const { body } = await transport.open({ method: "GET", path: "/", timeoutMs: 1000, signal });
    await clock.advance(60_000);
    (await late.promise)();
    const read = async () => {
      for await (const chunk of body) if (chunk.toString().endsWith("two")) abort.abort(why);
    };
    const why = new Error("enough");
    await assert.rejects(read(), why);
  });

  test("a stream that is refused rejects with the reason", async () => {
    peer.handler = (_, response) => answer(response, 410, { body: failure(410, "Expired") });
    await assert.rejects(
      peer.connect().open({ method: "GET", path: "/watch" }),
      (error) => error instanceof ApiError && error.reason === "Expired",
    );
  });

  test("an upgrade hands over the socket, with what has come already", async () => {
    peer.handler = (_, response) => answer(response, 400, { body: failure(400, "BadRequest") });
    peer.server.once("upgrade", (_: IncomingMessage, socket: Socket) => {
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhi",
      );
      socket.pipe(socket);
    });
    const request = {
      method: "GET",
      path: "/exec",
      headers: { connection: "Upgrade", upgrade: "echo" },
    } as const;
    const { socket, headers } = await peer.connect().upgrade(request);
    assert.equal(headers["upgrade"], "echo");
    socket.write("!");
    let text = "";
    for await (const chunk of socket) {
      text += String(chunk);
      if (text === "hi!") break;
    }
    await assert.rejects(
      peer.connect().upgrade({ method: "GET", path: "/exec" }),
      (error) => error instanceof ApiError && error.code === 400,
    );
  });
});
