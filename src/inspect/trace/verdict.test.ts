import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProbeOutcome } from "./probe.ts";
import { type Evidence, verdictOf } from "./verdict.ts";
import type { Step, Visit } from "./visits.ts";

const first = {
  source: "10.0.0.1",
  sourcePort: 4000,
  destination: "10.1.2.11",
  destinationPort: 8080,
  hopsLeft: 64,
  inDevice: "eth0",
  outDevice: "v-b",
};

function visit(place: string, shape: Partial<Visit> = {}): Visit {
  return {
    place,
    direction: "forth",
    began: "received",
    ended: "left",
    first,
    last: first,
    steps: [],
    translations: [],
    ...shape,
  };
}

const step = (rule: string | undefined): Step => ({
  table: "inet fw",
  chain: "forward",
  rule,
  verdict: "drop",
});
const [drop, reject, policy] = [
  step("tcp dport 80 drop"),
  step("reject with tcp reset"),
  step(undefined),
];
const arrived = visit("pod", { ended: "taken-in" });

function verdict(outcome: ProbeOutcome, visits: readonly Visit[], rest: Partial<Evidence> = {}) {
  const probe = { outcome, detail: undefined };
  const { kind, place } = verdictOf({ probe, visits, deadEnd: undefined, suspects: [], ...rest });
  return place === undefined ? kind : `${kind} in ${place}`;
}

test("an answer is a delivery, whatever was seen", () => {
  assert.equal(verdict("answered", [visit("node"), arrived]), "delivered in pod");
  assert.equal(verdict("answered", [visit("node")]), "delivered");
});

test("a rule that ends the way is named", () => {
  assert.equal(
    verdict("silent", [visit("node", { ended: "lost", steps: [drop] })]),
    "dropped in node",
  );
  assert.equal(verdict("silent", [visit("node", { steps: [policy] })]), "dropped in node");
  assert.equal(verdict("refused", [visit("node", { steps: [reject] })]), "rejected in node");
  assert.equal(verdict("silent", [visit("node", { steps: [reject] })]), "dropped in node");
});

test("who refuses on arrival has no listener", () => {
  assert.equal(verdict("refused", [visit("node"), arrived]), "no-listener in pod");
});

test("what arrived and is not answered is either so, or the answer was dropped", () => {
  assert.equal(verdict("silent", [arrived]), "unanswered in pod");
  const back = visit("node", { direction: "back", steps: [drop] });
  assert.equal(verdict("silent", [arrived, back]), "dropped in node");
});

test("where the kernel cannot go on counts, and whether the sender is told", () => {
  const noRoute = { kind: "no-route", place: "node", reason: "the route is a blackhole" } as const;
  assert.equal(verdict("silent", [visit("node")], { deadEnd: noRoute }), "dropped in node");
  assert.equal(verdict("unreachable", [visit("node")], { deadEnd: noRoute }), "no-route in node");
  const alone = { kind: "no-neighbour", place: "node", reason: "nobody answers" } as const;
  assert.equal(verdict("silent", [visit("node")], { deadEnd: alone }), "no-neighbour in node");
});

test("without any trace of a rule, legacy rules that have counted are suspected", () => {
  const lost = visit("node", { ended: "lost" });
  assert.equal(verdict("silent", [lost], { suspects: ["FORWARD -j DROP"] }), "dropped in node");
  assert.equal(verdict("refused", [lost], { suspects: ["FORWARD -j REJECT"] }), "rejected in node");
  assert.equal(verdict("refused", [lost]), "rejected in node");
});

test("what left and was not seen again is lost", () => {
  assert.equal(verdict("silent", [visit("node")]), "lost in node");
  assert.equal(verdict("silent", []), "lost");
});
