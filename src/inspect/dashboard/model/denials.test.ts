import assert from "node:assert/strict";
import { test } from "node:test";
import { denialAfter, readDenials } from "./denials.ts";

const text = (packets: number, policy = "shop/web") => `
# HELP tandem_policy_denied_packets_total Packets that were denied
tandem_policy_denied_packets_total{family="IPv6",direction="ingress",policy="${policy}",rule="a \\"b\\"",mode="enforce"} ${packets}
tandem_policy_policies 1
`;
const read = (packets: number) => readDenials(text(packets), "node-1")[0] ?? assert.fail();

test("[POL-1] denied packets are read from the metrics of a node, with all their labels", () => {
  const { family, direction, policy, rule, packets, node } = read(7);
  assert.deepEqual(
    [family, direction, policy, rule, packets, node],
    ["IPv6", "ingress", "shop/web", 'a "b"', 7, "node-1"],
  );
  assert.deepEqual(readDenials("", "node-1"), []);
});

test("[POL-1] what was denied before somebody looked is not new; what comes later is", () => {
  const first = denialAfter(undefined, read(7), { at: "a", isFirstLook: true });
  assert.equal(first.before, 7);
  assert.equal(denialAfter(first, read(7), { at: "b", isFirstLook: false }), first);
  const later = denialAfter(first, read(9), { at: "c", isFirstLook: false });
  assert.deepEqual([later.before, later.packets, later.lastAt], [7, 9, "c"]);
  const fresh = denialAfter(undefined, read(2), { at: "d", isFirstLook: false });
  assert.deepEqual([fresh.before, fresh.lastAt], [0, "d"]);
  const restarted = denialAfter(later, read(1), { at: "e", isFirstLook: false });
  assert.deepEqual([restarted.before, restarted.packets], [0, 1]);
});
