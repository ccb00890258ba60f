import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceCIDR } from "../../../api/types/networking.ts";
import { isNeeded } from "./controller.ts";

function rangeOf(uid: string, cidrs: string[], isEnding = false): ServiceCIDR {
  const ending = isEnding ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: uid, uid, ...ending },
    spec: { cidrs },
  };
}

test("a service range goes when no address is left in it that no other range has", () => {
  const first = rangeOf("first", ["10.96.0.0/16", "fd00::/112"]);
  const second = rangeOf("second", ["10.97.0.0/24", "fd01::/112"], true);
  const wider = rangeOf("wider", ["10.97.0.0/16"]);
  const all = [first, second];
  assert.equal(isNeeded(second, all, ["10.96.0.1", "fd00::1"]), false);
  assert.equal(isNeeded(second, all, ["10.96.0.1", "10.97.0.9"]), true);
  assert.equal(isNeeded(second, all, ["fd01::9"]), true);
  assert.equal(isNeeded(second, [...all, wider], ["10.97.0.9"]), false);
  assert.equal(
    isNeeded(second, [...all, rangeOf("gone", ["10.97.0.0/16"], true)], ["10.97.0.9"]),
    true,
  );
});
