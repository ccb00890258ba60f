import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTarget } from "./party.ts";

test("addresses, with and without a port", () => {
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ["10.0.0.1", "10.0.0.1", undefined],
    ["10.0.0.1:80", "10.0.0.1", "80"],
    ["fd00::1", "fd00::1", undefined],
    ["[fd00::1]:80", "fd00::1", "80"],
  ];
  for (const [text, address, port] of cases) {
    const target = parseTarget(text);
    assert(target.party.kind === "address", text);
    assert.deepEqual([target.party.address.toString(), target.port], [address, port]);
  }
});

test("names, with what is said of their kind and namespace", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["outside", { kind: "outside" }],
    ["web", object(["pod", "service", "node"], undefined, "web")],
    ["shop/web", object(["pod", "service"], "shop", "web")],
    ["svc/web", object(["service"], undefined, "web")],
    ["service/shop/web", object(["service"], "shop", "web")],
    ["node/node-1", object(["node"], undefined, "node-1")],
  ];
  for (const [text, party] of cases) assert.deepEqual(parseTarget(text).party, party, text);
  assert.equal(parseTarget("shop/db:postgres").port, "postgres");
});

test("a target that is neither an address nor an object is refused", () => {
  for (const text of ["", "a/b/c", "pod/a/b/c", "a b", "[fd00::1", "shop/"]) {
    assert.throws(() => parseTarget(text), text);
  }
});

function object(kinds: readonly string[], namespace: string | undefined, name: string) {
  return { kind: "object", kinds, namespace, name };
}
