import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, describe, test } from "node:test";
import { systemClock } from "../../host/clock.system.ts";
import type { Clock } from "../../host/clock.ts";
import { FakeRandom } from "../../host/random.fake.ts";
import type { Credentials } from "../access.ts";
import { staticCredentials } from "../access.ts";
import {
  ApiError,
  isConflict,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnavailable,
  isUnreachable,
} from "../errors.ts";
import { HttpTransport, type TransportOptions } from "./transport.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Sleeps pass at once and are noted. */
function impatientClock(): Clock & { slept: number[] } {
  const slept: number[] = [];
  return {
    ...systemClock,
    slept,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
    },
  };
}

describe("HTTP transport", { timeout: 20_000 }, () => {
  let handler: Handler;
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const transports: HttpTransport[] = [];

  beforeEach(async () => {
    requests.length = 0;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(async () => {
    for (const transport of transports.splice(0)) transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });

  const open = (
    options: Partial<TransportOptions> = {},
    credentials: Credentials = staticCredentials({}),
  ) => {
    const { port } = server.address() as AddressInfo;
    const access = {
      server: new URL(`http://127.0.0.1:${port}/base/`),
      credentials,
      namespace: "default",
    };
    const common = { clock: impatientClock(), random: new FakeRandom(), userAgent: "test/1" };
    const transport = new HttpTransport({ access, ...common, ...options });
    transports.push(transport);
    return transport;
  };
  const answer = (response: ServerResponse, code: number, body: object, headers = {}) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
  const failure = (code: number, reason: string) => ({
    kind: "Status",
    status: "Failure",
    message: `no: ${reason}`,
    reason,
    code,
  });

  test("sends who asks and what for, and reads the whole answer", async () => {
    handler = (request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => answer(response, 201, { echoed: body }));
    };
    const transport = open({}, staticCredentials({ authorization: "Bearer t" }));
    const { status, body } = await transport.send({
      method: "POST",
      path: "/api/v1/things?x=1",
      headers: { "content-type": "application/json" },
      body: "ü",
    });
    assert.deepEqual([status, JSON.parse(body.toString())], [201, { echoed: "ü" }]);
    const [{ url, headers } = assert.fail()] = requests;
    assert.equal(url, "/base/api/v1/things?x=1");
    assert.equal(headers.authorization, "Bearer t");
    assert.equal(headers["user-agent"], "test/1");
    assert.equal(headers["content-length"], "2");
  });

  test("errors carry reason, code and details", async () => {
    handler = (_, response) =>
      answer(response, 409, { ...failure(409, "Conflict"), details: { name: "a", kind: "pods" } });
    const error = await open()
      .send({ method: "PUT", path: "/x" })
      .catch((reason: unknown) => reason);
    assert.ok(isConflict(error) && !isNotFound(error));
    assert.equal(error.message, "Cannot PUT /x: no: Conflict");
    assert.deepEqual([error.code, error.details], [409, { name: "a", kind: "pods" }]);
  });

  test("an answer without a Status is told by its code", async () => {
    handler = (_, response) => response.writeHead(503).end("<html>down</html>");
    const sending = open().send({ method: "POST", path: "/x" });
    await assert.rejects(sending, (error) => {
      assert.ok(isUnavailable(error));
      assert.equal(error.message, "Cannot POST /x: <html>down</html>");
      return true;
    });
  });

  test("a GET whose connection is lost is sent again, a POST is not", async () => {
    handler = (request, response) => {
      if (requests.length % 2 === 1) request.socket.destroy();
      else answer(response, 200, {});
    };
    assert.equal((await open().send({ method: "GET", path: "/x" })).status, 200);
    assert.equal(requests.length, 2);
    const sending = open().send({ method: "POST", path: "/x", body: "{}" });
    await assert.rejects(sending, (error) => isUnavailable(error) && !isUnreachable(error));
    assert.equal(requests.length, 3);
  });

  test("an answer that breaks off counts as none", async () => {
    handler = (request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("{", () => request.socket.destroy());
    };
    const sending = open().send({ method: "GET", path: "/x", retries: 1 });
    await assert.rejects(sending, (error) => isUnavailable(error) && !isUnreachable(error));
    assert.equal(requests.length, 2);
  });

  test("nothing that listens means nothing was done: anything is sent again", async () => {
    const clock = impatientClock();
    const transport = open({ clock });
    server.close();
    await once(server, "close");
    const sending = transport.send({ method: "POST", path: "/x", body: "{}", retries: 3 });
    await assert.rejects(sending, isUnreachable);
    assert.equal(clock.slept.length, 3);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });

  test("Retry-After is heeded, for any method, as often as allowed", async () => {
    const clock = impatientClock();
    handler = (_, response) => {
      if (requests.length < 3) {
        answer(response, 429, failure(429, "TooManyRequests"), { "retry-after": "7" });
      } else answer(response, 200, {});
    };
    await open({ clock }).send({ method: "POST", path: "/x", body: "{}" });
    assert.deepEqual(clock.slept, [7000, 7000]);
    requests.length = 0;
    const sending = open({ clock }).send({ method: "POST", path: "/x", body: "{}", retries: 1 });
    await assert.rejects(sending, isTooManyRequests);
  });

  test("a refusal without Retry-After is final", async () => {
    handler = (_, response) => answer(response, 429, failure(429, "TooManyRequests"));
    await assert.rejects(open().send({ method: "POST", path: "/x" }), isTooManyRequests);
    assert.equal(requests.length, 1);
  });

  test("a refused credential is renewed once", async () => {
    let token = 1;
    const held = new Map<number, { authorization: string }>();
    const credentials: Credentials = {
      current: async () => held.get(token) ?? { authorization: `Bearer ${token}` },
      reject: () => (token += 1),
    };
    handler = (request, response) => {
      if (request.headers.authorization === "Bearer 2") answer(response, 200, {});
      else answer(response, 401, failure(401, "Unauthorized"));
    };
    for (const number of [1, 2, 3, 4, 5]) held.set(number, { authorization: `Bearer ${number}` });
    await open({}, credentials).send({ method: "POST", path: "/x" });
    assert.equal(requests.length, 2);
    token = 3;
    await assert.rejects(open({}, credentials).send({ method: "GET", path: "/x" }), isUnauthorized);
    assert.equal(requests.length, 4);
  });

  test("an answer that does not come in time is given up", async () => {
    handler = () => undefined;
    const transport = open({ clock: systemClock });
    const sending = transport.send({ method: "GET", path: "/x?query", timeoutMs: 20 });
    await assert.rejects(sending, (error) => {
      assert.ok(isTimeout(error));
      assert.equal(error.message, "Cannot GET /x: no answer within 20 ms");
      return true;
    });
  });

  test("an abort ends a request with its reason", async () => {
    handler = () => abort.abort(why);
    const abort = new AbortController();
    const why = new Error("enough");
    const sending = open().send({ method: "GET", path: "/x", signal: abort.signal });
    await assert.rejects(sending, why);
    await assert.rejects(open().send({ method: "GET", path: "/x", signal: abort.signal }), why);
  });

  test("a stream comes piece by piece, and breaking off closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    handler = (request, response) => {
      request.socket.once("close", () => closed.resolve());
      response.write("one");
      setImmediate(() => response.write("two"));
    };
    const { body } = await open().open({ method: "GET", path: "/watch", timeoutMs: 5000 });
    let text = "";
    for await (const chunk of body) {
      text += chunk.toString();
      if (text === "onetwo") break;
    }
    await closed.promise;
  });

  test("a stream has no end of time once it has begun, but heeds the signal", async () => {
    const abort = new AbortController();
    handler = (_, response) => {
      response.write("one");
      setTimeout(() => response.write("two"), 60);
    };
    const transport = open({ clock: systemClock });
    const { signal } = abort;
    const { body } = await transport.open({ method: "GET", path: "/", timeoutMs: 30, signal });
    const read = async () => {
      for await (const chunk of body) if (chunk.toString().endsWith("two")) abort.abort(why);
    };
    const why = new Error("enough");
    await assert.rejects(read(), why);
  });

  test("a stream that is refused rejects with the reason", async () => {
    handler = (_, response) => answer(response, 410, failure(410, "Expired"));
    await assert.rejects(
      open().open({ method: "GET", path: "/watch" }),
      (error) => error instanceof ApiError && error.reason === "Expired",
    );
  });

  test("an upgrade hands over the socket, with what has come already", async () => {
    handler = (_, response) => answer(response, 400, failure(400, "BadRequest"));
    server.once("upgrade", (_: IncomingMessage, socket: Socket) => {
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
    const { socket, headers } = await open().upgrade(request);
    assert.equal(headers["upgrade"], "echo");
    socket.write("!");
    let text = "";
    for await (const chunk of socket) {
      text += String(chunk);
      if (text === "hi!") break;
    }
    await assert.rejects(
      open().upgrade({ method: "GET", path: "/exec" }),
      (error) => error instanceof ApiError && error.code === 400,
    );
  });

  test("connections are kept, and used again", async () => {
    handler = (_, response) => answer(response, 200, {});
    const transport = open();
    for (let turn = 0; turn < 5; turn++) await transport.send({ method: "GET", path: "/x" });
    assert.equal(sockets.size, 1);
  });

  test("a rate limit lets a burst pass and then makes requests wait", async () => {
    const clock = impatientClock();
    handler = (_, response) => answer(response, 200, {});
    const transport = open({
      clock: { ...clock, monotonic: () => 0 },
      rateLimit: { perSecond: 10, burst: 2 },
    });
    for (let turn = 0; turn < 4; turn++) await transport.send({ method: "GET", path: "/x" });
    assert.deepEqual(clock.slept, [100, 200]);
  });

  test("outcomes are counted", async () => {
    const outcomes: string[] = [];
    handler = (_, response) =>
      requests.length === 1
        ? answer(response, 200, {})
        : answer(response, 404, failure(404, "NotFound"));
    const transport = open({
      onOutcome: (method, outcome) => outcomes.push(`${method} ${outcome}`),
    });
    await transport.send({ method: "GET", path: "/x" });
    await assert.rejects(transport.send({ method: "GET", path: "/x" }), isNotFound);
    assert.deepEqual(outcomes, ["GET success", "GET NotFound"]);
  });
});
