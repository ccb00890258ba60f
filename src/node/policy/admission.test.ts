import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../api/types/core.ts";
import { Admission } from "./admission.ts";
import { mirrorAnnotation } from "./objects/read-pod.ts";
import { PolicyState } from "./plan/policy-state.ts";

const key = "x/web";

function pod(uid: string, more: Partial<Pod["metadata"]> = {}, podIP?: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "x", name: "web", uid, ...more },
    spec: { nodeName: "here", containers: [] },
    status: podIP === undefined ? {} : { podIP },
  };
}

function given(address: string) {
  return [{ address, network: "tandem", isDefault: true }];
}

/** Returns the addresses of this node's known pods. */
function local(state: PolicyState): readonly string[] {
  state.takeChange();
  return [...state.plans.IPv4.book.all()].flatMap(({ set, key: one }) =>
    set === "local" ? [one] : [],
  );
}

test("[POL-5] a pod is known by the addresses it was given, before its status has them", () => {
  const state = new PolicyState();
  const admission = new Admission(state, "here");
  admission.put(pod("1"), key);
  assert.deepEqual(local(state), []);
  admission.give(pod("1"), given("10.0.0.1"));
  assert.deepEqual(local(state), ["10.0.0.1"]);
  admission.put(pod("1", {}, "10.0.0.1"), key);
  assert.deepEqual(local(state), ["10.0.0.1"]);
  admission.put(undefined, key);
  assert.deepEqual(local(state), [], "it is gone");
});

test("[POL-5] the end of a pod that is told late does not cut off the next one of its name", () => {
  const state = new PolicyState();
  const admission = new Admission(state, "here");
  admission.put(pod("1", {}, "10.0.0.1"), key);
  admission.give(pod("2"), given("10.0.0.2"));
  admission.put(undefined, key);
  assert.deepEqual(local(state), ["10.0.0.2"]);
  admission.put(pod("2"), key);
  assert.deepEqual(local(state), ["10.0.0.2"]);
});

test("[POL-5] a static pod is known by its mirror, and goes with it", () => {
  const state = new PolicyState();
  const admission = new Admission(state, "here");
  const mirror = pod("mirror", { annotations: { [mirrorAnnotation]: "1" } });
  admission.give(pod("1"), given("10.0.0.1"));
  admission.put(mirror, key);
  assert.deepEqual(local(state), ["10.0.0.1"]);
  admission.put(undefined, key);
  assert.deepEqual(local(state), []);
});
