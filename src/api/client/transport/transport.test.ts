import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import { systemClock } from "../../../base/host/clock.system.ts";
import { type Credentials, staticCredentials } from "../access.ts";
import {
  isConflict,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnavailable,
  isUnreachable,
} from "../errors.ts";
import { answer, failure, impatientClock, Peer } from "./testing/transport.ts";

describe("requests", { timeout: 120_000 }, () => {
  let peer: Peer;
  beforeEach(async () => {
    peer = new Peer();
    await peer.start();
  });
  afterEach(() => peer.stop());

  test("sends who asks and what for, and reads the whole answer", async () => {
    peer.handler = (request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => answer(response, 201, { body: { echoed: body } }));
    };
    const transport = peer.connect({}, staticCredentials({ authorization: "Bearer t" }));
    const { status, body } = await transport.send({
      method: "POST",
      path: "/api/v1/things?x=1",
      headers: { "content-type": "application/json" },
      body: "ü",
    });
    assert.deepEqual([status, JSON.parse(body.toString())], [201, { echoed: "ü" }]);
    const [{ url, headers } = assert.fail()] = peer.requests;
    assert.equal(url, "/base/api/v1/things?x=1");
    assert.equal(headers.authorization, "Bearer t");
    assert.equal(headers["user-agent"], "test/1");
    assert.equal(headers["content-length"], "2");
  });

  test("errors carry reason, code and details", async () => {
    peer.handler = (_, response) =>
      answer(response, 409, {
        body: { ...failure(409, "Conflict"), details: { name: "a", kind: "pods" } },
      });
    const error = await peer
      .connect()
      .send({ method: "PUT", path: "/x" })
      .catch((reason: unknown) => reason);
    assert.ok(isConflict(error) && !isNotFound(error));
    assert.equal(error.message, "Cannot PUT /x: no: Conflict");
    assert.deepEqual([error.code, error.details], [409, { name: "a", kind: "pods" }]);
  });

  test("an answer without a Status is told by its code", async () => {
    peer.handler = (_, response) => response.writeHead(503).end("<html>down</html>");
    const sending = peer.connect().send({ method: "POST", path: "/x" });
    await assert.rejects(sending, (error) => {
      assert.ok(isUnavailable(error));
      assert.equal(error.message, "Cannot POST /x: <html>down</html>");
      return true;
    });
  });

  test("a GET whose connection is lost is sent again, a POST is not", async () => {
    peer.handler = (request, response) => {
      if (peer.requests.length % 2 === 1) request.socket.destroy();
      else answer(response, 200);
    };
    assert.equal((await peer.connect().send({ method: "GET", path: "/x" })).status, 200);
    assert.equal(peer.requests.length, 2);
    const sending = peer.connect().send({ method: "POST", path: "/x", body: "{}" });
    await assert.rejects(sending, (error) => isUnavailable(error) && !isUnreachable(error));
    assert.equal(peer.requests.length, 3);
  });

  test("an answer that breaks off counts as none", async () => {
    peer.handler = (request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("{", () => request.socket.destroy());
    };
    const sending = peer.connect().send({ method: "GET", path: "/x", retries: 1 });
    await assert.rejects(sending, (error) => isUnavailable(error) && !isUnreachable(error));
    assert.equal(peer.requests.length, 2);
  });

  test("nothing that listens means nothing was done: anything is sent again", async () => {
    const clock = impatientClock();
    const transport = peer.connect({ clock });
    peer.server.close();
    await once(peer.server, "close");
    const sending = transport.send({ method: "POST", path: "/x", body: "{}", retries: 3 });
    await assert.rejects(sending, isUnreachable);
    assert.equal(clock.slept.length, 3);
  });

  test("Retry-After is heeded, for any method, as often as allowed", async () => {
    const clock = impatientClock();
    peer.handler = (_, response) => {
      if (peer.requests.length < 3) {
        answer(response, 429, {
          body: failure(429, "TooManyRequests"),
          headers: { "retry-after": "7" },
        });
      } else answer(response, 200);
    };
    await peer.connect({ clock }).send({ method: "POST", path: "/x", body: "{}" });
    assert.deepEqual(clock.slept, [7000, 7000]);
    peer.requests.length = 0;
    const sending = peer
      .connect({ clock })
      .send({ method: "POST", path: "/x", body: "{}", retries: 1 });
    await assert.rejects(sending, isTooManyRequests);
  });

  test("a refusal without Retry-After is final", async () => {
    peer.handler = (_, response) =>
      answer(response, 429, { body: failure(429, "TooManyRequests") });
    await assert.rejects(peer.connect().send({ method: "POST", path: "/x" }), isTooManyRequests);
    assert.equal(peer.requests.length, 1);
  });

  test("a refused credential is renewed once", async () => {
    let token = 1;
    const held = new Map<number, { authorization: string }>();
    const credentials: Credentials = {
      current: async () => held.get(token) ?? { authorization: `Bearer ${token}` },
      reject: () => (token += 1),
    };
    peer.handler = (request, response) => {
      if (request.headers.authorization === "Bearer 2") answer(response, 200);
      else answer(response, 401, { body: failure(401, "Unauthorized") });
    };
    for (const number of [1, 2, 3, 4, 5]) held.set(number, { authorization: `Bearer ${number}` });
    await peer.connect({}, credentials).send({ method: "POST", path: "/x" });
    assert.equal(peer.requests.length, 2);
    token = 3;
    await assert.rejects(
      peer.connect({}, credentials).send({ method: "GET", path: "/x" }),
      isUnauthorized,
    );
    assert.equal(peer.requests.length, 4);
  });

  test("an answer that does not come in time is given up", async () => {
    peer.handler = () => undefined;
    const transport = peer.connect({ clock: systemClock });
    const sending = transport.send({ method: "GET", path: "/x?query", timeoutMs: 20 });
    await assert.rejects(sending, (error) => {
      assert.ok(isTimeout(error));
      assert.equal(error.message, "Cannot GET /x: no answer within 20 ms");
      return true;
    });
  });

  test("an abort ends a request with its reason", async () => {
    peer.handler = () => abort.abort(why);
    const abort = new AbortController();
    const why = new Error("enough");
    const sending = peer.connect().send({ method: "GET", path: "/x", signal: abort.signal });
    await assert.rejects(sending, why);
    await assert.rejects(
      peer.connect().send({ method: "GET", path: "/x", signal: abort.signal }),
      why,
    );
  });

  test("connections are kept, and used again", async () => {
    peer.handler = (_, response) => answer(response, 200);
    const transport = peer.connect();
    for (let turn = 0; turn < 5; turn++) await transport.send({ method: "GET", path: "/x" });
    assert.equal(peer.sockets.size, 1);
  });

  test("a rate limit lets a burst pass and then makes peer.requests wait", async () => {
    const clock = impatientClock();
    peer.handler = (_, response) => answer(response, 200);
    const transport = peer.connect({
      clock: { ...clock, monotonic: () => 0 },
      rateLimit: { perSecond: 10, burst: 2 },
    });
    for (let turn = 0; turn < 4; turn++) await transport.send({ method: "GET", path: "/x" });
    assert.deepEqual(clock.slept, [100, 200]);
  });

  test("the outcome of each request is told with its method, errors included", async () => {
    const outcomes: string[] = [];
    peer.handler = (_, response) =>
      peer.requests.length === 1
        ? answer(response, 200)
        : answer(response, 404, { body: failure(404, "NotFound") });
    const transport = peer.connect({
      onOutcome: (method, outcome) => outcomes.push(`${method} ${outcome}`),
    });
    await transport.send({ method: "GET", path: "/x" });
    await assert.rejects(transport.send({ method: "GET", path: "/x" }), isNotFound);
    assert.deepEqual(outcomes, ["GET success", "GET NotFound"]);
  });
});
