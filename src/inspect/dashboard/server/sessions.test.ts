import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { systemRandom } from "../../../base/host/random.system.ts";
import { Sessions } from "./sessions.ts";

const open = () => {
  const clock = new FakeClock();
  return { clock, sessions: new Sessions<string>({ clock, random: systemRandom }) };
};

test("a code is exchanged for a token once", () => {
  const { sessions } = open();
  const code = sessions.issueCode("jane");
  const token = sessions.exchange(code);
  assert.equal(sessions.find(`Bearer ${token}`), "jane");
  assert.equal(sessions.exchange(code), undefined);
  assert.equal(sessions.find(`Bearer ${token}`), "jane");
});

test("a code is no token, and no other text is one", () => {
  const { sessions } = open();
  const code = sessions.issueCode("jane");
  for (const text of [undefined, "", "Bearer", "Bearer ", `Bearer ${code}`, `Basic ${code}`]) {
    assert.equal(sessions.find(text), undefined);
  }
  assert.equal(sessions.exchange(""), undefined);
});

test("a code with a lifetime ends with it", async () => {
  const { clock, sessions } = open();
  const code = sessions.issueCode("jane", 1000);
  await clock.advance(1000);
  assert.equal(sessions.exchange(code), undefined);
});

test("the oldest code gives way when there are very many", () => {
  const { sessions } = open();
  const codes = Array.from({ length: 33 }, () => sessions.issueCode("jane"));
  assert.equal(sessions.exchange(codes[0] ?? ""), undefined);
  assert.notEqual(sessions.exchange(codes[1] ?? ""), undefined);
});

test("a token that was given back is not known any more, and its user neither", () => {
  const { sessions } = open();
  const token = `Bearer ${sessions.open("jane")}`;
  assert.deepEqual([...sessions.users], ["jane"]);
  sessions.close(token);
  assert.equal(sessions.find(token), undefined);
  assert.deepEqual([...sessions.users], []);
});
