import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { nginxFeatures } from "./machine.ts";

const versions = [
  ["1.22.1", false, false],
  ["1.25.1", true, false],
  ["1.27.3", true, false],
  ["1.27.4", true, true],
  ["1.30.0", true, true],
  ["2.0", true, true],
] as const;

for (const [version, hasHttp2Directive, sparesIdleConnections] of versions) {
  test(`nginx ${version} is known by what it can do`, async () => {
    const commands = new FakeCommands().answer("nginx -v", {
      stderr: `nginx version: nginx/${version} (Debian)\n`,
    });
    assert.deepEqual(await nginxFeatures(commands), { hasHttp2Directive, sparesIdleConnections });
  });
}
