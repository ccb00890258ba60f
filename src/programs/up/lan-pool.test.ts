import assert from "node:assert/strict";
import { test } from "node:test";
import { Prefix } from "../../base/net/prefix.ts";
import { UsageError } from "../../base/program/errors.ts";
import { checkIngress } from "./lan-pool.ts";
import { type GivenSettings, resolveSettings } from "./settings.ts";

const list = (text: string) => text.split(",").map(Prefix.parse);
const check = (given: Partial<GivenSettings>) =>
  checkIngress(resolveSettings({ name: "x", ingress: true, ...given }));

test("[ING-2] ingress needs a range of nodes with room for load balancers, or virtual addresses", () => {
  const small = { nodeCidr: list("10.1.0.0/25"), podCidr: list("10.2.0.0/16") };
  check({});
  check({ nodeCidr: list("10.1.0.0/24"), podCidr: list("10.2.0.0/16") });
  check({ nodeCidr: list("10.1.0.0/25,fd01::/64") });
  check({ ...small, controlPlanes: 3 });
  assert.throws(
    () => check(small),
    (error) =>
      error instanceof UsageError &&
      error.message ===
        "Cannot use ingress=true: nodeCidr=10.1.0.0/25 has no room for addresses of load balancers",
  );
});
