import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { Address, InvalidAddressError } from "./address.ts";
import { bitsOf } from "./family.ts";
import { Prefix } from "./prefix.ts";
import { AddressRange } from "./range.ts";
import { anyAddress, anyFamily, anyPrefix, anyRange } from "./testing/arbitraries.ts";

const canonical: [text: string, expected: string][] = [
  ["10.0.0.0/8", "10.0.0.0/8"],
  ["10.1.2.3/8", "10.0.0.0/8"],
  ["255.255.255.255/0", "0.0.0.0/0"],
  ["10.1.2.3/32", "10.1.2.3/32"],
  ["FD00:10:20:0:0:0::1/72", "fd00:10:20::/72"],
  ["ffff::/0", "::/0"],
  ["64:ff9b::1.2.3.4/96", "64:ff9b::/96"],
  ["::1/128", "::1/128"],
];
for (const [text, expected] of canonical) {
  test(`[NET-1] ${text} is the prefix ${expected}`, () => {
    const prefix = Prefix.parse(text);
    assert.equal(prefix.toString(), expected);
    assert.equal(JSON.stringify(prefix), `"${expected}"`);
    assert.ok(Prefix.tryParse(text)?.equals(Prefix.parseStrict(expected)));
  });
}

const refused: [text: string, state: string][] = [
  ["", 'it has no "/"'],
  ["10.0.0.0", 'it has no "/"'],
  ["/8", "it is empty"],
  ["10.0.0/8", "it has 3 octets instead of 4"],
  ["10.0.0.0/33", "its length is not a number from 0 to 32"],
  ["fd00::/129", "its length is not a number from 0 to 128"],
  ["10.0.0.0/", "its length is not a number from 0 to 32"],
  ["10.0.0.0/08", "its length is not a number from 0 to 32"],
  ["10.0.0.0/+8", "its length is not a number from 0 to 32"],
  ["10.0.0.0/-1", "its length is not a number from 0 to 32"],
  ["10.0.0.0/8 ", "its length is not a number from 0 to 32"],
  ["10.0.0.0/8/8", "its length is not a number from 0 to 32"],
  ["10.0.0.0/255.0.0.0", "its length is not a number from 0 to 32"],
  ["::ffff:10.0.0.0/104", "it is an IPv4-mapped IPv6 address"],
  ["fe80::1%eth0/64", "a zone is not allowed"],
];
for (const [text, state] of refused) {
  test(`[NET-1] ${JSON.stringify(text)} is no prefix`, () => {
    const message = `Cannot parse prefix ${JSON.stringify(text)}: ${state}`;
    assert.throws(() => Prefix.parse(text), { name: "InvalidAddressError", message });
    assert.throws(() => Prefix.parseStrict(text), { name: "InvalidAddressError", message });
    assert.equal(Prefix.tryParse(text), undefined);
  });
}

test("[NET-1] host bits are refused where it is strict", () => {
  assert.throws(() => Prefix.parseStrict("10.1.2.3/8"), {
    message: 'Cannot parse prefix "10.1.2.3/8": it has host bits, the network is 10.0.0.0/8',
  });
});

test("a prefix has the edges and the members another library gives it", () => {
  fc.assert(
    fc.property(anyPrefix(), anyAddress(), (prefix, address) => {
      const [first, last] = edgesElsewhere(prefix);
      assert.deepEqual(bytesOf(prefix.first), first);
      assert.deepEqual(bytesOf(prefix.last), last);
      const theirs = [ipaddr.fromByteArray(first), prefix.length] as const;
      const inside =
        address.family === prefix.family &&
        ipaddr.fromByteArray(bytesOf(address)).match(theirs[0], theirs[1]);
      assert.equal(prefix.contains(address), inside);
    }),
    { numRuns: 500 },
  );
});

test("[NET-4] a prefix of any size counts, reaches and contains without enumerating", () => {
  fc.assert(
    fc.property(anyPrefix(), fc.bigInt({ min: 0n, max: 1n << 130n }), (prefix, any) => {
      const n = any % prefix.size;
      assert.equal(prefix.size, 1n << BigInt(bitsOf(prefix.family) - prefix.length));
      assert.equal(prefix.at(n).offsetFrom(prefix.first), n);
      assert.ok(prefix.at(n - prefix.size).equals(prefix.at(n)));
      assert.ok(prefix.contains(prefix.at(n)));
      assert.throws(() => prefix.at(prefix.size), InvalidAddressError);
      assert.throws(() => prefix.at(-prefix.size - 1n), InvalidAddressError);
    }),
  );
});

test("[NET-4] parts of a prefix are numbered and found without enumerating", () => {
  const divided = anyPrefix().chain((prefix) =>
    fc.tuple(
      fc.constant(prefix),
      fc.integer({ min: prefix.length, max: bitsOf(prefix.family) }),
      fc.bigInt({ min: 0n, max: 1n << 130n }),
    ),
  );
  fc.assert(
    fc.property(divided, ([prefix, length, any]) => {
      const parts = prefix.subdivide(length);
      const part = parts.at(any % parts.count);
      assert.equal(parts.count * part.size, prefix.size);
      assert.ok(prefix.contains(part));
      assert.equal(part.first.offsetFrom(prefix.first), (any % parts.count) * part.size);
      assert.throws(() => parts.at(parts.count), /there are/);
      assert.throws(() => parts.at(-1n), /there are/);
    }),
  );
  const whole = Prefix.parse("10.0.0.0/8");
  for (const length of [7, 33, 8.5]) {
    assert.throws(() => whole.subdivide(length), /the length is not between 8 and 32/);
  }
});

test("two prefixes overlap when one contains the other", () => {
  fc.assert(
    fc.property(anyPrefix(), anyPrefix(), (a, b) => {
      assert.equal(a.overlaps(b), a.contains(b) || b.contains(a));
      assert.equal(a.contains(b), a.contains(b.first) && a.length <= b.length);
      assert.equal(a.equals(b), a.contains(b) && b.contains(a));
    }),
  );
});

test("the prefixes that cover a range are exact, in order and as few as possible", () => {
  fc.assert(
    fc.property(anyRange(), (range) => {
      const cover = Prefix.covering(range);
      assert.ok(cover[0]?.first.equals(range.first));
      assert.ok(cover.at(-1)?.last.equals(range.last));
      for (const [index, prefix] of cover.entries()) {
        const next = cover[index + 1];
        if (next === undefined) break;
        assert.equal(next.first.offsetFrom(prefix.last), 1n);
        const twins = prefix.length === next.length && Prefix.of(prefix.first, prefix.length - 1);
        assert.ok(twins === false || !twins.contains(next), `${prefix.toString()} has its twin`);
      }
    }),
  );
  const texts = Prefix.covering(AddressRange.parse("10.0.0.1-10.0.0.10")).map(String);
  assert.deepEqual(texts, [
    "10.0.0.1/32",
    "10.0.0.2/31",
    "10.0.0.4/30",
    "10.0.0.8/31",
    "10.0.0.10/32",
  ]);
});

test("a length outside of the family is refused", () => {
  fc.assert(
    fc.property(anyFamily, fc.constantFrom(-1, 1.5, 129, Number.NaN), (family, length) => {
      assert.throws(
        () => Prefix.of(Address.of(family, 0n), length),
        /the length is not between 0 and/,
      );
    }),
  );
});

function bytesOf(address: Address): number[] {
  const digits = bitsOf(address.family) / 4;
  return [...Buffer.from(address.value.toString(16).padStart(digits, "0"), "hex")];
}

function edgesElsewhere(prefix: Prefix): [first: number[], last: number[]] {
  const inner = ipaddr.fromByteArray(bytesOf(prefix.first)).toString();
  const text = `${inner}/${prefix.length}`;
  if (prefix.family === "IPv4") {
    return [
      ipaddr.IPv4.networkAddressFromCIDR(text).toByteArray(),
      ipaddr.IPv4.broadcastAddressFromCIDR(text).toByteArray(),
    ];
  }
  return [
    ipaddr.IPv6.networkAddressFromCIDR(text).toByteArray(),
    ipaddr.IPv6.broadcastAddressFromCIDR(text).toByteArray(),
  ];
}
