import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Address } from "../../../base/net/address.ts";
import { vipUses } from "../cluster.ts";
import { bothFamilies, nodesOf } from "../testing/vip.ts";
import { checkedVips } from "./checked-vips.ts";

const nodes = nodesOf(3).flatMap(({ name: node, addresses }) =>
  addresses.map((address) => ({ node, address })),
);
const text = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.string(),
  fc.constantFrom(
    ...Object.values(bothFamilies.vips).flat().map(String),
    ...nodes.map(({ address }) => String(address)),
  ),
);
const given = fc.record({
  api: fc.array(text, { maxLength: 3 }),
  ingress: fc.array(text, { maxLength: 3 }),
});
const fieldOf = (use: string) => use;

test("[VIP-10] whatever a status says, the first VIPs in force stay, and what comes is one a family and nobody's own", () => {
  fc.assert(
    fc.property(given, fc.boolean(), (lists, isInForce) => {
      const known = isInForce ? bothFamilies.vips : undefined;
      const { vips, problems } = checkedVips({ given: lists, known, nodes, fieldOf });
      for (const use of vipUses) {
        if (known !== undefined)
          assert.ok(vips[use][0]?.equals(known[use][0] ?? Address.parse("::")));
        const families = vips[use].map(({ family }) => family);
        assert.equal(new Set(families).size, families.length);
        for (const vip of vips[use]) {
          assert.ok(!nodes.some(({ address }) => address.equals(vip)), `${vip} is a node's`);
        }
        const isAsWritten = vips[use].join() === canonical(lists[use]);
        assert.ok(isAsWritten || problems.some((problem) => problem.startsWith(`${use}: `)));
      }
    }),
  );
});

function canonical(texts: readonly string[]): string {
  return texts.map((one) => Address.tryParse(one)?.toString() ?? one).join();
}
