import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInstalled, NotInstalledError } from "./prerequisites.ts";
import { resolveSettings } from "./settings.ts";

test("what is not installed is named, with the packages that have it", async () => {
  const settings = { ...resolveSettings({ name: "x" }), network: "no-such-plugin" as "ptp" };
  await assert.rejects(checkInstalled(settings, "/nowhere"), (error) => {
    assert.ok(error instanceof NotInstalledError);
    assert.match(error.message, /unshare, .*the CNI plugin no-such-plugin cannot be found/);
    assert.match(error.hint, /apt-get install util-linux .*containernetworking-plugins/);
    return true;
  });
});
