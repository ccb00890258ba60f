import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { StatusError } from "../errors.ts";
import { startServer } from "../testing/start.ts";
import { FlightControl } from "./flight.ts";

const exchange = {} as Parameters<FlightControl["start"]>[1];

test("one client's requests do not take the places of another's", () => {
  const control = new FlightControl({ perClient: 2, inAll: 3, seconds: 60 });
  const land = control.start("a", exchange);
  control.start("a", exchange);
  assert.throws(() => control.start("a", exchange), { reason: "TooManyRequests" });
  control.start("b", exchange);
  assert.throws(() => control.start("b", exchange), { reason: "TooManyRequests" });
  land();
  land();
  assert.equal(control.size, 2);
  control.start("a", exchange);
});

test("[API-4] too many requests at once are told to come back", async () => {
  const release = Promise.withResolvers<void>();
  await using server = await startServer({
    limits: { perClient: 2, inAll: 10, seconds: 60 },
    access: () => ({
      authenticator: { authenticate: () => ({ name: "x", groups: [] }) },
      authorizer: { authorize: () => ({ allowed: true }) },
      reviewers: {
        async selfsubjectreviews(object: object) {
          await release.promise;
          return object;
        },
      },
    }),
  });
  const ask = () =>
    server.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: {} });
  const answers = [ask(), ask(), ask(), ask()];
  const codes = await Promise.any(answers).then(({ status, headers }) => [
    status,
    headers["retry-after"],
  ]);
  assert.deepEqual(codes, [429, "1"]);
  release.resolve();
  const all = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(
    all.toSorted((a, b) => a - b),
    [201, 201, 429, 429],
  );
});

test("[API-4] a request that takes too long is answered for", async () => {
  await using server = await startServer({
    limits: { perClient: 2, inAll: 10, seconds: 0 },
    access: () => ({
      authenticator: { authenticate: () => ({ name: "x", groups: [] }) },
      authorizer: { authorize: () => ({ allowed: true }) },
      reviewers: { selfsubjectreviews: () => new Promise<object>(() => undefined) },
    }),
  });
  const answer = await server.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
    body: {},
  });
  assert.equal(answer.status, 504);
  assert.equal(answer.json["reason"], "Timeout" satisfies StatusError["reason"]);
});

test("[SEC-4] a client that does not read its answer is left after a while", async () => {
  await using server = await startServer({ limits: { perClient: 2, inAll: 10, seconds: 1 } });
  const data = { a: "x".repeat(900_000) };
  for (let n = 0; n < 20; n++) {
    const body = { metadata: { name: `m${n}` }, data };
    await server.send("POST", "/api/v1/namespaces/default/configmaps", { body });
  }
  const { agent } = server;
  const slow = request(`${server.url}/api/v1/configmaps`, { agent });
  slow.end();
  const [answer] = (await once(slow, "response")) as [IncomingMessage];
  // Nothing is read, so that most of the answer of 18 MB stays with the server.
  const underWay = async () => {
    const { text } = await server.send("GET", "/metrics");
    return Number(/^apiserver_current_inflight_requests (\d+)/m.exec(text)?.[1]);
  };
  while ((await underWay()) > 1) await setTimeout(50);
  answer.resume();
  await assert.rejects(once(answer, "end"), { code: "ECONNRESET" });
  assert.equal(answer.complete, false);
});
