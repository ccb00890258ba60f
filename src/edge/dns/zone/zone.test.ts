import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Address } from "../../../base/net/address.ts";
import { types } from "../wire/codes.ts";
import { nameOf } from "../wire/name.ts";
import type { DnsRecord } from "../wire/record.ts";
import { Zone } from "./zone.ts";

const domain = nameOf("cluster.local");
const zoneOf = () => new Zone({ domain, ttl: 5, serial: 100 });
const record = (name: string, address = "10.0.0.1"): DnsRecord => ({
  name: nameOf(`${name}.cluster.local`),
  ttl: 5,
  data: { kind: "address", address: Address.parse(address) },
});
const at = (zone: Zone, name: string) => zone.get(nameOf(`${name}.cluster.local`));

describe("a zone", () => {
  it("has the names above those that have records", () => {
    const zone = zoneOf();
    zone.replace("a", [record("web.default.svc")]);
    assert.equal(at(zone, "web.default.svc")?.isEmpty, false);
    for (const name of ["default.svc", "svc"]) assert.equal(at(zone, name)?.isEmpty, true, name);
    assert.equal(at(zone, "other.default.svc"), undefined);
    zone.replace("a", []);
    for (const name of ["web.default.svc", "default.svc", "svc"]) {
      assert.equal(at(zone, name), undefined, name);
    }
    assert.equal(zone.size, 1);
  });

  it("has names that are kept, though nothing is there", () => {
    const zone = zoneOf();
    const name = nameOf("empty.svc.cluster.local");
    zone.keep(name);
    zone.replace("a", [record("web.empty.svc")]);
    zone.replace("a", []);
    assert.equal(zone.get(name)?.isEmpty, true);
    zone.release(name);
    assert.equal(zone.get(name), undefined);
    assert.equal(at(zone, "svc"), undefined);
  });

  it("answers with what all owners of a name have given it", () => {
    const zone = zoneOf();
    zone.replace("a", [record("x", "10.0.0.1"), record("x", "fd00::1")]);
    zone.replace("b", [record("x", "10.0.0.2")]);
    const counts = () => {
      const node = at(zone, "x");
      if (node === undefined) return [];
      const asked = [types.A, types.AAAA, types.ANY, types.TXT];
      return asked.map((type) => zone.answer(node, type)?.answers);
    };
    assert.deepEqual(counts(), [2, 1, 3, undefined]);
    zone.replace("a", []);
    assert.deepEqual(counts(), [1, undefined, 1, undefined]);
    zone.replace("b", []);
    assert.deepEqual(counts(), []);
  });

  it("counts changes, and only those", () => {
    const zone = zoneOf();
    zone.replace("a", [record("x")]);
    assert.equal(zone.serial, 101);
    zone.replace("a", [record("x")]);
    zone.replace("b", []);
    assert.equal(zone.serial, 101);
    zone.replace("a", [record("x", "10.0.0.9")]);
    assert.equal(zone.serial, 102);
  });

  it("does not have names between those that addresses point back at", () => {
    const zone = zoneOf();
    const name = nameOf("1.0.0.10.in-addr.arpa");
    zone.replace("a", [{ name, ttl: 5, data: { kind: "pointer", target: domain } }]);
    assert.ok(zone.get(name) !== undefined);
    assert.equal(zone.get(nameOf("0.0.10.in-addr.arpa")), undefined);
    assert.equal(zone.apexOf(name), nameOf("in-addr.arpa"));
  });

  it("is the same whatever it has been through", () => {
    const names = ["a", "b.a", "c.b.a", "d.a", "e"];
    const step = fc.tuple(
      fc.constantFrom("one", "two", "three"),
      fc.uniqueArray(fc.constantFrom(...names)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const zone = zoneOf();
        const owned = new Map<string, string[]>();
        for (const [owner, wanted] of steps) {
          const records = wanted.map((name) => record(name, owner === "one" ? "10.0.0.1" : "::2"));
          zone.replace(owner, records);
          owned.set(owner, wanted);
          // Queries in between must not keep old answers cached.
          for (const name of names) {
            const node = at(zone, name);
            if (node !== undefined) zone.answer(node, types.ANY);
          }
        }
        const there = [...owned.values()].flat();
        for (const name of names) {
          const node = at(zone, name);
          const isAbove = there.some((other) => other.endsWith(`.${name}`));
          assert.equal(node !== undefined, there.includes(name) || isAbove, name);
          const answers = node && zone.answer(node, types.ANY)?.answers;
          const expected = there.filter((other) => other === name).length;
          assert.equal(answers ?? 0, expected, name);
        }
      }),
    );
  });
});
