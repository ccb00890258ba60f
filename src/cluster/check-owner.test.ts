import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../host/command.fake.ts";
import { checkOwner } from "./check-owner.ts";
import { resolveSettings } from "./settings.ts";

for (const [controlPlanes, owner, isTaken] of [
  [3, "0", true],
  [3, "65534", false],
  [1, "65534", true],
] as const) {
  test(`${controlPlanes} control planes where ${owner} owns the root: ${isTaken}`, async () => {
    const commands = new FakeCommands();
    commands.answer("stat", { stdout: `${owner}\n` });
    const checked = checkOwner(resolveSettings({ name: "x", controlPlanes }), commands);
    if (isTaken) await checked;
    else await assert.rejects(checked, /controlPlanes=3: several are for root/);
  });
}
