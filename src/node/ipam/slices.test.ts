import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Prefix } from "../../base/net/prefix.ts";
import { canonicalRanges } from "./config/canonical.ts";
import { Fields } from "./config/fields.ts";
import { parseRange } from "./config/range.ts";
import { chooseSlice, windowOf } from "./slices.ts";
import { Plugin } from "./testing/plugin.ts";

function rangeOf(range: string, sliceLength: number, exclude: readonly string[] = []) {
  const [canonical] = canonicalRanges(new Fields({ range, exclude }, "ipam"));
  assert.ok(canonical);
  const parsed = parseRange(canonical, () => undefined);
  return { ...parsed, sliceLength };
}

const slice = (node: string, text: string) => ({ node, prefix: Prefix.parse(text) });

test("[IPAM-12] slices follow each other, a node keeps its own, and none is enumerated", () => {
  const range = rangeOf("10.0.0.0/8", 27);
  const taken = [slice("a", "10.0.0.0/27"), slice("b", "10.0.0.64/27")];
  assert.deepEqual(chooseSlice(range, "b", taken), taken[1]);
  assert.equal(chooseSlice(range, "c", taken)?.prefix.toString(), "10.0.0.32/27");
  const wide = rangeOf("2001:db8::/32", 120, ["2001:db8::/33"]);
  assert.equal(chooseSlice(wide, "a", [])?.prefix.toString(), "2001:db8:8000::/120");
});

test("[IPAM-12] slices of 10.0.0.0/8 by /10", () => {
  const range = rangeOf("10.0.0.0/8", 10);
  const taken: ReturnType<typeof slice>[] = [];
  for (const node of ["a", "b", "c", "d"]) {
    const chosen = chooseSlice(range, node, taken);
    assert.ok(chosen);
    taken.push(chosen);
  }
  assert.deepEqual(
    taken.map(({ prefix }) => prefix.toString()),
    ["10.0.0.0/10", "10.64.0.0/10", "10.128.0.0/10", "10.192.0.0/10"],
  );
  assert.equal(chooseSlice(range, "e", taken), undefined);
});

test("[IPAM-12] a slice is passed over exactly when nothing of it can be handed out", () => {
  const excludes = fc.array(
    fc.record({
      offset: fc.integer({ min: 0, max: 63 }),
      length: fc.integer({ min: 26, max: 32 }),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(excludes, fc.integer({ min: 26, max: 32 }), (excluded, sliceLength) => {
      const texts = excluded.map(({ offset, length }) => `10.0.0.${offset}/${length}`);
      const range = rangeOf("10.0.0.0/26", sliceLength, texts);
      const parts = range.prefix.subdivide(sliceLength);
      const usable = (prefix: Prefix) => {
        const window = windowOf(range, { node: "", prefix });
        if (window === undefined) return false;
        for (let n = 0n; n < window.size; n++) {
          if (!range.excluded.contains(window.first.plus(n))) return true;
        }
        return false;
      };
      const all = Array.from({ length: Number(parts.count) }, (_, index) =>
        parts.at(BigInt(index)),
      );
      const chosen = chooseSlice(range, "a", []);
      assert.equal(chosen?.prefix.toString(), all.find(usable)?.toString());
    }),
  );
});

test("[IPAM-12] nodes hand out of their slices in both families, excludes honoured", async (t) => {
  const plugin = new Plugin(t);
  const ipam = {
    ipRanges: [
      { range: "10.0.0.0/24", exclude: ["10.0.0.0/29", "10.0.0.30"] },
      { range: "fd00::/64" },
    ],
    node_slice_size: "/28",
  };
  const add = async (node: string, container: string) =>
    (await plugin.call("ADD", { ...ipam, node_name: node }, { container })).ips;
  assert.deepEqual(await add("a", "c1"), ["10.0.0.8/24", "fd00::1/64"]);
  assert.deepEqual(await add("b", "c2"), ["10.0.0.16/24", "fd00::10/64"]);
  assert.deepEqual(await add("a", "c3"), ["10.0.0.9/24", "fd00::2/64"]);
  for (let n = 4; n <= 9; n++) await add("a", `c${n}`);
  const { error } = await plugin.call("ADD", { ...ipam, node_name: "a" }, { container: "c10" });
  assert.equal(error.code, 100);
  assert.match(error.msg, /node a's slice 10.0.0.0\/28/);
  assert.deepEqual(await add("b", "c11"), ["10.0.0.17/24", "fd00::11/64"]);
  await plugin.call("DEL", { ...ipam, node_name: "a" }, { container: "c3" });
  assert.deepEqual(await add("a", "c12"), ["10.0.0.9/24", "fd00::2/64"]);
});

test("[IPAM-12] a node that finds no slice is told so, and nothing stays reserved", async (t) => {
  const plugin = new Plugin(t);
  const ipam = {
    ipRanges: [{ range: "fd00::/64" }, { range: "10.0.0.0/30" }],
    node_slice_size: "/31",
  };
  const call = (command: string, node: string) =>
    plugin.call(command, { ...ipam, node_name: node }, { container: node });
  for (const node of ["a", "b"]) assert.equal((await call("ADD", node)).failed, false);
  assert.match((await call("STATUS", "c")).error.msg, /node c a \/31 of 10.0.0.0\/30/);
  const { error } = await call("ADD", "c");
  assert.equal(error.code, 100);
  assert.equal((await call("CHECK", "c")).error.code, 3);
  assert.equal((await call("DEL", "c")).failed, false);
  assert.equal((await plugin.reserved()).length, 4);
});
