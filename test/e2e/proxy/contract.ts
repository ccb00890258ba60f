// What every backend must do with real packets: the plan's scenarios, one after the other.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Commands } from "../../../src/base/host/command.ts";
import { systemIp } from "../../../src/base/host/ip.system.ts";
import { type Family, families } from "../../../src/base/net/family.ts";
import type { FamilySettings } from "../../../src/node/proxy/plan/frontend.ts";
import {
  addressOf,
  frontendsOf,
  openState,
  put,
  settingsOf,
} from "../../../src/node/proxy/plan/testing/scenario.ts";
import { allScenarios } from "../../../src/node/proxy/plan/testing/scenarios/all.ts";
import {
  type Cell,
  cells,
  type Scenario,
} from "../../../src/node/proxy/plan/testing/scenarios/scenarios.ts";
import type { Proxier } from "../../../src/node/proxy/proxier.ts";
import { type Lab, patience } from "./lab.ts";
import { agrees, observe } from "./observe.ts";

export type OpenProxier = (settings: FamilySettings, node: Commands) => Proxier;

/** What a kind of backend cannot do, by words in the names of scenarios and behaviours. */
export interface Limits {
  readonly lacks?: readonly string[];
}

export function scenarioContract(
  kind: string,
  lab: Lab,
  { open, lacks = [] }: { readonly open: OpenProxier } & Limits,
): void {
  for (const [name, scenario] of Object.entries(allScenarios)) {
    if (lacks.some((words) => name.includes(words))) continue;
    // Where much is waited for, the families wait together.
    describe(`${kind}: ${name}`, { concurrency: patience > 1 }, () => {
      for (const family of families) {
        test(family, { timeout: 60_000 * patience }, () =>
          checkScenario(scenario, { family, lab, open }),
        );
      }
    });
  }
}

async function checkScenario(
  scenario: Scenario,
  { family, lab, open }: { family: Family; lab: Lab; open: OpenProxier },
): Promise<void> {
  const state = openState(scenario);
  put(state, scenario.objects(family));
  state.takeChange();
  const packets = cells(scenario, family).filter(canBeSent);
  const { isSticky = false } = scenario;
  const ownAddresses = packets.flatMap(({ from }) => (isBalancer(from) ? [from] : []));
  const onLoopback = [...new Set(ownAddresses)].map((party) => addressOf(party, family).toString());
  const proxier = open(settingsOf(family, scenario.settings?.(family)), lab.node);
  const ip = systemIp(lab.node);
  try {
    await ip.batch(onLoopback.map((address) => `address add ${address} dev lo`));
    await lab.forgetFlows(family);
    await proxier.replace(frontendsOf(state, family));
    const wrong: string[] = [];
    await Promise.all(
      packets.map(async (cell) => {
        const observation = { ...cell, family, isSticky };
        const seen = await observe(lab, observation);
        if (agrees(seen, observation)) return;
        wrong.push(`${cell.from} to ${cell.to}: ${cell.expected}, but it was ${seen.join(" ")}`);
      }),
    );
    assert.deepEqual(wrong, []);
  } finally {
    // The rules stay, for the next one to replace, whatever they are.
    await ip.batch(onLoopback.map((address) => `address del ${address} dev lo`));
  }
}

/** A packet to a loopback address never leaves its sender. */
function canBeSent({ from, to }: Cell): boolean {
  return !to.startsWith("loopback:") || from === "node";
}

function isBalancer(party: string): party is "lb" | "lb2" {
  return party === "lb" || party === "lb2";
}
