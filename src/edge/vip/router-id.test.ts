import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { distinct, routerIds } from "./router-id.ts";

for (const [cluster, api, ingress] of [
  ["ostest", 14, 93],
  ["test", 13, 28],
  ["test-cluster", 147, 2],
  ["mycluster", 74, 137],
] as const) {
  test(`[VIP-3] router ids of ${cluster} are those every implementation arrives at`, () => {
    assert.deepEqual(routerIds(cluster), { api, ingress });
  });
}

test("[VIP-3] router ids are valid and never the same for both uses", () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
  fc.assert(
    fc.property(name, (cluster) => {
      const { api, ingress } = routerIds(cluster);
      assert.notEqual(api, ingress);
      for (const id of [api, ingress]) assert.ok(Number.isInteger(id) && id >= 1 && id <= 240);
    }),
  );
  assert.deepEqual(distinct(239, 239), { api: 239, ingress: 240 });
});
