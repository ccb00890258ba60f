import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../../base/net/address.ts";
import { families } from "../../../base/net/family.ts";
import { parsePrefixList } from "../../../base/net/list.ts";
import { type NodePortAddresses, nodePortSettings } from "./node-ports.ts";

const node = {
  name: "here",
  zone: undefined,
  addresses: ["10.0.0.1", "10.0.0.2", "fd00::1", "fd00::2"].map((text) => Address.parse(text)),
};

const cases: readonly (readonly [NodePortAddresses, string, string])[] = [
  ["primary", "10.0.0.1/32", "fd00::1/128"],
  ["all", "0.0.0.0/0", "::/0"],
  [parsePrefixList("10.0.0.0/8,fd00::/8,10.9.0.0/16"), "10.0.0.0/8,10.9.0.0/16", "fd00::/8"],
  [parsePrefixList("127.0.0.0/8,::1/128"), "127.0.0.0/8 and loopback", "::1/128"],
  [parsePrefixList("10.0.0.0/8"), "10.0.0.0/8", ""],
];

for (const [choice, ...expected] of cases) {
  test(`[PROXY-2] node ports at ${String(choice)}`, () => {
    const texts = families.map((family) => {
      const { nodePortPrefixes, servesLoopback } = nodePortSettings(choice, { family, node });
      return `${String(nodePortPrefixes)}${servesLoopback ? " and loopback" : ""}`;
    });
    assert.deepEqual(texts, expected);
  });
}
