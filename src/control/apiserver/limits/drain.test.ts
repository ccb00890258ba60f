import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import { Socket } from "node:net";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { Arrivals, drain } from "./drain.ts";

test("[INST-3] a server that ends lets nothing new in, and answers what has arrived", async () => {
  const clock = new FakeClock();
  const arrivals = new Arrivals();
  const socket = new Socket();
  arrivals.opened(socket);
  let isClosed = false;
  const servers = [{ close: () => (isClosed = true) } as unknown as Http2SecureServer];
  let underWay = 1;
  let isOver = false;
  const draining = drain({ servers, arrivals, underWay: () => underWay, clock }).then(
    () => (isOver = true),
  );
  assert.ok(isClosed && arrivals.isLeaving);
  await clock.advance(20);
  underWay = 0;
  await clock.advance(20);
  assert.ok(!isOver, "a connection that was let in may still send its request");
  arrivals.asked(socket);
  await clock.advance(20);
  await draining;
});

test("[INST-3] the end does not wait for connections that say nothing, nor for ever", async () => {
  for (const [underWay, afterMs] of [
    [0, 3_100],
    [1, 10_100],
  ] as const) {
    const clock = new FakeClock();
    const arrivals = new Arrivals();
    arrivals.opened(new Socket());
    let isOver = false;
    const draining = drain({ servers: [], arrivals, underWay: () => underWay, clock }).then(
      () => (isOver = true),
    );
    await clock.advance(afterMs - 200);
    assert.ok(!isOver);
    await clock.advance(200);
    await draining;
  }
});

test("[INST-3] clients of HTTP/2 are told to go elsewhere, those that come late as well", () => {
  const arrivals = new Arrivals();
  const session = () => {
    const made = Object.assign(new EventEmitter(), { isLeaving: false, close() {} });
    made.close = () => (made.isLeaving = true);
    return made;
  };
  const [early, late, gone] = [session(), session(), session()];
  arrivals.session(early as unknown as ServerHttp2Session);
  arrivals.session(gone as unknown as ServerHttp2Session);
  gone.emit("close");
  arrivals.leave();
  arrivals.session(late as unknown as ServerHttp2Session);
  assert.deepEqual(
    [early, late, gone].map(({ isLeaving }) => isLeaving),
    [true, true, false],
  );
});
