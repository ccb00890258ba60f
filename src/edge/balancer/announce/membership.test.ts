import assert from "node:assert/strict";
import { test } from "node:test";
import { Informers } from "../../../api/client/informer.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { Membership } from "./membership.ts";
import { defaultTimes } from "./times.ts";

const log = createLog({ format: "json", write: () => undefined });

function members(names: readonly string[]) {
  const { client } = new FakeApi();
  const clock = new FakeClock();
  const informers = new Informers({ clock, random: new FakeRandom(), log });
  const nodes = informers.of(client.resource("v1", "Node"));
  const common = { client, informers, nodes, times: defaultTimes, clock, log };
  return { clock, all: names.map((nodeName) => new Membership({ ...common, nodeName })) };
}

test("when the API goes for all, nobody says that it is there once another is no member", async () => {
  const { clock, all } = members(["first", "last"]);
  const [first, last] = all;
  assert.ok(first !== undefined && last !== undefined);
  const renew = (member: Membership) =>
    member.renew({ networks: [], holds: [], peer: "" }, new AbortController().signal);
  await renew(first);
  await clock.advance(defaultTimes.renewMs);
  await renew(last);
  assert.equal(last.isWitness, true);
  while (first.isMember) await clock.advance(10);
  assert.equal(last.isMember, true);
  assert.equal(last.isWitness, false);
});

test("a member is believed from one renewal to the next", async () => {
  const { clock, all } = members(["only"]);
  const [only] = all;
  assert.ok(only !== undefined);
  assert.equal(only.isWitness, false);
  for (let n = 0; n < 3; n++) {
    await only.renew({ networks: [], holds: [], peer: "" }, new AbortController().signal);
    assert.equal(only.isWitness, true);
    await clock.advance(defaultTimes.renewMs);
    assert.equal(only.isWitness, true);
  }
});
