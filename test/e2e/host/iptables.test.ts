import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { systemIptables } from "../../../src/base/host/iptables.system.ts";
import { iptablesContract } from "../../../src/base/host/testing/iptables.contract.ts";
import { families } from "../../../src/base/net/family.ts";
import { openSandbox } from "./sandbox.ts";

const sandbox = await openSandbox();
const lockFile = join(sandbox.scratch, "xtables.lock");

for (const variant of ["nft", "legacy"] as const) {
  for (const family of families) {
    let count = 0;
    iptablesContract(`real ${family} ${variant}`, {
      tellsWhy: variant === "nft",
      open: async () => {
        const { commands } = await sandbox.enter(`${variant}-${family.toLowerCase()}-${count++}`);
        return systemIptables(commands, { family, variant, lockFile });
      },
    });

    test(`a failing line of ${family} ${variant} is named`, async () => {
      const { commands } = await sandbox.enter(`${variant}-${family.toLowerCase()}-line`);
      const iptables = systemIptables(commands, { family, variant, lockFile });
      await assert.rejects(
        iptables.restore("*nat\n:WEB - [0:0]\n-D WEB -j ACCEPT\nCOMMIT\n"),
        /\nin line 3: -D WEB -j ACCEPT$/,
      );
    });
  }
}
