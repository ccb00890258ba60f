// What becomes of a packet, by where it comes from and where it goes. Each cell holds for both
// families: the endpoints it may reach (`a` and `d` are on this node, `b` and `c` elsewhere), with `*`
// where they see the node's address in place of the sender's.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { type Family, families } from "../../../net/family.ts";
import {
  openState,
  outcomeText,
  type Party,
  put,
  type ScenarioOptions,
  send,
} from "../scenario.fixture.ts";

interface Scenario extends ScenarioOptions {
  readonly objects: (family: Family) => readonly (Service | EndpointSlice)[];
  readonly packets: string | Readonly<Record<Family, string>>;
}

/** Reached in every way there is. */
export const everywhere = {
  type: "LoadBalancer",
  lb: ["lb"],
  external: ["external"],
  ports: [{ port: 80, nodePort: 30080 }],
} as const;

export const local = { externalTrafficPolicy: "Local" } as const;

export function checkScenarios(scenarios: Readonly<Record<string, Scenario>>): void {
  for (const [name, scenario] of Object.entries(scenarios)) {
    describe(name, () => {
      for (const family of families) checkPackets(scenario, family);
    });
  }
}

function checkPackets(scenario: Scenario, family: Family): void {
  const state = openState(scenario);
  put(state, scenario.objects(family));
  state.takeChange();
  const { packets } = scenario;
  const table = typeof packets === "string" ? packets : packets[family];
  for (const [from, to, expected] of cells(table)) {
    test(`${family}: ${from} to ${to}: ${expected}`, () => {
      assert.equal(outcomeText(send(state, family, [from, to]), family), expected);
    });
  }
}

function cells(table: string): (readonly [from: Party, to: string, expected: string])[] {
  const [head = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const senders = head[0] === "" ? head.slice(1) : head;
  return rows.flatMap(([to = "", ...outcomes]) =>
    outcomes.map((expected, n) => [senders[n] as Party, to, expected] as const),
  );
}
