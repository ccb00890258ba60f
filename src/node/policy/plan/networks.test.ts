import assert from "node:assert/strict";
import { test } from "node:test";
import type { NetworkPolicy } from "../../../api/types/networking.ts";
import { at } from "../objects/read-pod.ts";
import { lookUp } from "./lookup.ts";
import { defaultNetwork } from "./model.ts";
import { PolicyState } from "./policy-state.ts";
import { passes } from "./program.ts";
import { policyForAnnotation, readNetworkPolicy } from "./read-network-policy.ts";
import { auditBit } from "./reasons.ts";

/** Returns a policy by which only pods of the namespace reach its pods. */
function policy(annotations?: Record<string, string>): NetworkPolicy {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: "x", name: "own", ...(annotations && { annotations }) },
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }], policyTypes: ["Ingress"] },
  };
}

function stateWith(one: NetworkPolicy, isAudited = false): PolicyState {
  const state = new PolicyState();
  state.setNamespace("x", { labels: {}, isAudited });
  for (const number of [1, 2]) {
    state.setPod(`x/${number}`, {
      key: `x/${number}`,
      namespace: "x",
      labels: {},
      addresses: [...at(`10.0.0.${number}`, defaultNetwork), ...at(`10.9.0.${number}`, "x/net1")],
      ports: [],
      isLocal: true,
    });
  }
  state.setPolicy("own", readNetworkPolicy(one));
  state.takeChange();
  return state;
}

function outcome(state: PolicyState, subject: string, peer: string): number | undefined {
  const question = { side: "ingress", subject, peer, protocol: "tcp", port: 80 } as const;
  return lookUp(state.plans.IPv4.book, question);
}

test("[POL-1] a policy is about addresses of the default network, as subjects and as peers", () => {
  const state = stateWith(policy());
  assert.equal(outcome(state, "10.0.0.1", "10.0.0.2"), passes);
  assert.notEqual(outcome(state, "10.0.0.1", "10.9.0.2"), passes, "of another network");
  assert.equal(outcome(state, "10.9.0.1", "192.0.2.1"), undefined, "is not isolated there");
});

test("[POL-1] a policy for another network is about addresses of that one alone", () => {
  const state = stateWith(policy({ [policyForAnnotation]: "net1" }));
  assert.equal(outcome(state, "10.0.0.1", "192.0.2.1"), undefined, "is not isolated by default");
  assert.equal(outcome(state, "10.9.0.1", "10.9.0.2"), passes);
  assert.notEqual(outcome(state, "10.9.0.1", "10.0.0.2"), passes);
});

test("[POL-7] in audit mode what would be denied has a reason that denies nothing", () => {
  const state = stateWith(policy(), true);
  const found = outcome(state, "10.0.0.1", "192.0.2.1") ?? 0;
  assert.ok(found >= auditBit);
  assert.deepEqual(state.reasons.get(found), {
    direction: "ingress",
    policies: ["x/own"],
    isAudited: true,
  });
});
