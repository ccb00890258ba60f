import assert from "node:assert/strict";
import { test } from "node:test";
import { Prefix } from "../../../base/net/prefix.ts";
import { refuseOverlap } from "./cidr-overlap.ts";

const check = (cluster: readonly string[], service: readonly string[]) => () =>
  refuseOverlap(cluster.map(Prefix.parse), service.map(Prefix.parse));

const overlaps: [cluster: string, service: string][] = [
  ["10.96.0.0/12", "10.96.0.0/16"],
  ["10.96.1.0/24", "10.96.0.0/16"],
  ["fd00:96::/56", "fd00:96::/112"],
];
for (const [cluster, service] of overlaps) {
  test(`[KADM-2] the cluster CIDR ${cluster} is refused beside the service CIDR ${service}`, () => {
    const message = `Cannot use the cluster CIDR ${cluster}: it overlaps the service CIDR ${service}`;
    assert.throws(check(["10.244.0.0/16", cluster], ["192.168.0.0/24", service]), { message });
  });
}

test("[KADM-2] CIDRs apart from each other are fine, whatever their families", () => {
  assert.doesNotThrow(check(["10.244.0.0/16", "fd00:244::/56"], ["10.96.0.0/16", "fd00:96::/112"]));
  assert.doesNotThrow(check([], ["10.96.0.0/16"]));
});
