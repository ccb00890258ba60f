import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { families } from "../../src/base/net/family.ts";
import { type ProxyMode, proxierOpener } from "../../src/node/proxy/modes.ts";
import {
  addressOf,
  frontendsOf,
  openState,
  put,
  service,
  settingsOf,
  slices,
} from "../../src/node/proxy/plan/testing/scenario.ts";
import { openSctpNet } from "./sctp-net.ts";

await systemCommands().run(["modprobe", "sctp"]);
const net = await openSctpNet();
const modes: readonly ProxyMode[] = ["nftables", "ipvs"];
const ports = [{ port: 80, protocol: "SCTP" as const }];
const targets = { ports: [{ port: 8080, protocol: "SCTP" as const }] };

for (const mode of modes) {
  for (const family of families) {
    describe(`${mode}, ${family}`, { timeout: 240_000 }, () => {
      test("[PROXY-2] SCTP reaches every endpoint of a service, and none that is gone", async () => {
        const over = new AbortController();
        const open = proxierOpener(mode, {
          commands: net.node,
          iptablesVariant: "nft",
          signal: over.signal,
        });
        const proxier = open(settingsOf(family));
        const state = openState();
        const address = addressOf("cluster", family).toString();
        const ask = async (count: number): Promise<readonly string[]> => {
          const answers = new Set<string>();
          for (let n = 0; n < count; n++) answers.add(await net.ask(family, address, 80));
          return [...answers].toSorted();
        };
        try {
          put(state, [service({ ports }), ...slices(["a", "b"], targets)]);
          state.takeChange();
          await proxier.replace(frontendsOf(state, family));
          assert.deepEqual(await ask(16), ["a", "b"]);
          put(state, slices(["b"], targets));
          await proxier.apply(state.takeChange().deltas[family]);
          assert.deepEqual(await ask(4), ["b"]);
        } finally {
          await proxier.remove();
          over.abort();
        }
      });
    });
  }
}
