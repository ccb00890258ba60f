import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { systemRandom } from "../../../base/host/random.system.ts";
import { Sessions } from "./sessions.ts";

const open = () => {
  const clock = new FakeClock();
  return { clock, sessions: new Sessions({ clock, random: systemRandom }) };
};

test("a code is exchanged for a token once", () => {
  const { sessions } = open();
  const code = sessions.issueCode();
  const token = sessions.exchange(code);
  assert.ok(sessions.isKnown(`Bearer ${token}`));
  assert.equal(sessions.exchange(code), undefined);
  assert.ok(sessions.isKnown(`Bearer ${token}`));
});

test("a code is no token, and no other text is one", () => {
  const { sessions } = open();
  const code = sessions.issueCode();
  for (const text of [undefined, "", "Bearer", "Bearer ", `Bearer ${code}`, `Basic ${code}`]) {
    assert.equal(sessions.isKnown(text), false);
  }
  assert.equal(sessions.exchange(""), undefined);
});

test("a code with a lifetime ends with it", async () => {
  const { clock, sessions } = open();
  const code = sessions.issueCode(1000);
  await clock.advance(1000);
  assert.equal(sessions.exchange(code), undefined);
});

test("the oldest code gives way when there are very many", () => {
  const { sessions } = open();
  const codes = Array.from({ length: 33 }, () => sessions.issueCode());
  assert.equal(sessions.exchange(codes[0] ?? ""), undefined);
  assert.notEqual(sessions.exchange(codes[1] ?? ""), undefined);
});
