import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../base/host/command.fake.ts";
import { checkOwner } from "./check-owner.ts";
import { resolveSettings } from "./settings.ts";

for (const [controlPlanes, owner, isRoot, isTaken] of [
  [3, "0", true, true],
  [3, "0", false, false],
  [3, "65534", true, false],
  [1, "65534", false, true],
] as const) {
  const who = isRoot ? "root" : "a user";
  test(`${controlPlanes} control planes of ${who}, files of ${owner}: ${isTaken}`, async () => {
    const commands = new FakeCommands();
    commands.answer("stat", { stdout: `${owner}\n` });
    const checked = checkOwner(resolveSettings({ name: "x", controlPlanes }), { isRoot, commands });
    if (isTaken) await checked;
    else await assert.rejects(checked, /controlPlanes=3: several are for root/);
  });
}
