import assert from "node:assert/strict";
import { test } from "node:test";
import { staticCredentials } from "../../../api/client/access.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import { refusal } from "../../../api/client/testing/verbs.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { announcementsOf } from "./announcements.ts";
import type { Placed } from "./ports.ts";

const log = createLog({ write: () => undefined, format: "text", level: "error" });
const access = {
  server: new URL("https://api.example"),
  authorities: undefined,
  credentials: staticCredentials({}),
  namespace: "default",
};

test("announcers are told to be silent only while leases can be read", async () => {
  const api = new FakeApi();
  const clock = new FakeClock();
  let placed: Placed = { placements: [], silent: [] };
  const [addresses, silent] = announcementsOf({
    user: { client: api.client, access },
    placing: () => placed,
    followed: new Map(),
    clock,
    random: new FakeRandom(),
    log,
  });
  const names = () => silent.list().map(({ name }) => name);
  const stop = new AbortController();
  const running = addresses.run(stop.signal);
  await clock.advance(1_000);
  placed = { placements: [], silent: ["node-1"] };
  await clock.advance(1_000);
  assert.deepEqual(names(), ["node-1"]);
  placed = { placements: [], silent: [] };
  await clock.advance(1_000);
  assert.deepEqual(names(), []);
  api.fault = (request) => refusal(request, 500, "InternalError", "the API is away");
  api.endWatches();
  await clock.advance(5_000);
  placed = { placements: [], silent: ["node-1", "node-2"] };
  await clock.advance(5_000);
  assert.deepEqual(names(), [], "whoever cannot be heard is not silent");
  api.fault = () => undefined;
  await clock.advance(60_000);
  assert.deepEqual(names(), ["node-1", "node-2"]);
  stop.abort();
  await running;
});
