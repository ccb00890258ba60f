import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import { proxierOpener } from "../../src/node/proxy/modes.ts";
import {
  addressOf,
  frontendsOf,
  openState,
  put,
  service,
  settingsOf,
  slices,
} from "../../src/node/proxy/plan/testing/scenario.ts";
import { showService } from "../../src/node/proxy/show/show-service.ts";
import { openSandbox } from "../e2e/host/sandbox.ts";

const sandbox = await openSandbox();
const { commands } = await sandbox.enter("node");

describe("what is shown of a service, by ipvs", () => {
  for (const family of families) {
    test(`${family}: is what the kernel has`, async () => {
      const over = new AbortController();
      const tools = { commands, iptablesVariant: "nft", signal: over.signal } as const;
      const proxier = proxierOpener("ipvs", tools)(settingsOf(family));
      const state = openState();
      const web = service({
        type: "LoadBalancer",
        lb: ["lb"],
        externalTrafficPolicy: "Local",
        ports: [{ name: "http", port: 80, nodePort: 30080 }],
      });
      put(state, [
        web,
        ...slices(["a", "b"], { ports: [{ name: "http", port: 8080, protocol: "TCP" }] }),
      ]);
      state.takeChange();
      try {
        await proxier.replace(frontendsOf(state, family));
        const shown = await showService("shop/web", commands);
        const lines = shown.map(({ mode, address = "node", leads }) => {
          const led = leads.map(({ clients, endpoints }) => `${clients} ${endpoints.length}`);
          return `${mode} ${address}: ${led.join(", ")}`;
        });
        assert.deepEqual(
          new Set(lines),
          new Set([
            `ipvs ${addressOf("cluster", family)}: all 2`,
            `ipvs ${addressOf("lb", family)}: inside 2, outside 1`,
            "ipvs node: inside 2, outside 1",
          ]),
        );
      } finally {
        await proxier.remove();
        over.abort();
      }
    });
  }
});
