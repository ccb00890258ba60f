import assert from "node:assert/strict";
import { test } from "node:test";
import { excessOf } from "./object-size.ts";

const many = <Value>(count: number, make: (n: number) => Value): Value[] =>
  Array.from({ length: count }, (_, n) => make(n));

test("[SEC-4] large objects of real clusters have few enough fields", () => {
  const paths = many(4, (n) => ({
    path: `/${n}`,
    pathType: "Prefix",
    backend: { service: { name: `s${n}`, port: { number: 80 } } },
  }));
  const rules = many(1000, (n) => ({ host: `h${n}.example`, http: { paths } }));
  const endpoints = many(1000, (n) => ({
    addresses: [`10.0.0.${n}`],
    conditions: { ready: true, serving: true, terminating: false },
    targetRef: { kind: "Pod", namespace: "default", name: `p${n}`, uid: `u${n}` },
    hints: { forZones: [{ name: "z" }] },
  }));
  const blocks = many(10_000, (n) => ({ ipBlock: { cidr: `10.${n}.0.0/16`, except: [`${n}`] } }));
  const data = Object.fromEntries(many(10_000, (n) => [`key-${n}`, "x".repeat(90)]));
  const owned = Object.fromEntries(many(10_000, (n) => [`f:key-${n}`, {}]));
  const managed = { data, metadata: { managedFields: [{ fieldsV1: { "f:data": owned } }] } };
  for (const object of [{ rules }, { endpoints }, { blocks }, managed]) {
    assert.equal(excessOf(object), undefined);
  }
});

test("[SEC-4] objects with too many fields or names are told apart", () => {
  const fields = many(50_001, () => ({ a: 1, b: 2 }));
  assert.equal(excessOf({ fields }), "more than 100000 fields");
  const names = Object.fromEntries(many(25_001, (n) => [`k${n}`, ""]));
  assert.equal(excessOf({ names }), "more than 25000 different names of fields");
});
