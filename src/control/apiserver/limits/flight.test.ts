import assert from "node:assert/strict";
import { test } from "node:test";
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
