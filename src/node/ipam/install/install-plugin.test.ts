import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { installPlugin } from "./install-plugin.ts";

const places = { source: "/usr/lib/tandem", target: "/opt/cni/bin" };

test("[INST-6] a plugin is never installed outside of its directory", async () => {
  for (const name of ["../sh", "/bin/sh", ".hidden", "", "two words"]) {
    const commands = new FakeCommands();
    await assert.rejects(installPlugin({ ...places, names: ["whereabouts", name] }, commands), {
      message: `Cannot install a plugin as ${JSON.stringify(name)}: it is no name of a file`,
    });
    assert.deepEqual(commands.calls, []);
  }
});
