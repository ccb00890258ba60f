import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { Address, InvalidAddressError } from "./address.ts";
import { anyAddress, anySpelling } from "./testing/arbitraries.ts";

const canonical: [text: string, expected: string][] = [
  ["0.0.0.0", "0.0.0.0"],
  ["10.20.0.255", "10.20.0.255"],
  ["255.255.255.255", "255.255.255.255"],
  ["::", "::"],
  ["0:0:0:0:0:0:0:0", "::"],
  ["::1", "::1"],
  ["1::", "1::"],
  ["FD00:0010:0020::000A", "fd00:10:20::a"],
  ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
  ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
  ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
  ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
  ["::1.2.3.4", "::102:304"],
  ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
];
for (const [text, expected] of canonical) {
  test(`[NET-1] ${text} is written ${expected}`, () => {
    assert.equal(Address.parse(text).toString(), expected);
  });
}

const refused: [text: string, state: RegExp][] = [
  ["", /it is empty/],
  [" 10.0.0.1", /" " is not expected at position 1/],
  ["10.0.0.1 ", /" " is not expected at position 9/],
  ["10.0.0.1\n", /"\\n" is not expected/],
  ["+10.0.0.1", /"\+" is not expected/],
  ["10.0.0.-1", /"-" is not expected/],
  ["10.0.0.0x1", /"x" is not expected/],
  ["10.0.0.01", /an octet has a leading zero/],
  ["00.0.0.0", /an octet has a leading zero/],
  ["10.0.0.256", /an octet is above 255/],
  ["10.0.0.99999999999999999999", /an octet is above 255/],
  ["10.0.0", /it has 3 octets instead of 4/],
  ["10.0.0.0.0", /it has 5 octets instead of 4/],
  ["10..0.1", /an octet is missing/],
  ["10.0.0.", /an octet is missing/],
  ["167772161", /an octet is above 255/],
  ["10.0.0.1/8", /"\/" is not expected/],
  ["١٠.0.0.1", /is not expected at position 1/],
  ["example.com", /"e" is not expected/],
  [":", /":" is not expected/],
  [":::", /":" is not expected at position 3/],
  ["1:::2", /":" is not expected at position 4/],
  ["::1::", /more than one "::"/],
  ["1::2::3", /more than one "::"/],
  ["1:", /ends with a single ":"/],
  [":1", /":" is not expected at position 1/],
  ["1:2:3:4:5:6:7", /it has 7 groups instead of 8/],
  ["1:2:3:4:5:6:7:8:9", /it has 9 groups instead of 8/],
  ["1:2:3:4:5:6:7:8::", /it has 8 groups beside its "::"/],
  ["1:2:3:4::5:6:7:8", /it has 8 groups beside its "::"/],
  ["12345::", /more than 4 digits/],
  ["00001::", /more than 4 digits/],
  ["g::", /"g" is not expected at position 1/],
  ["::g", /"g" is not expected at position 3/],
  ["[::1]", /"\[" is not expected at position 1/],
  ["1:2:3:4:5:6:7:1.2.3.4", /it has 9 groups instead of 8/],
  ["::1.2.3.4:5", /its dotted tail is wrong/],
  ["::01.2.3.4", /its dotted tail is wrong: an octet has a leading zero/],
  ["::1.2.3", /its dotted tail is wrong: it has 3 octets/],
  ["::ffff:10.0.0.1", /IPv4-mapped/],
  ["::FFFF:a00:1", /IPv4-mapped/],
  ["0:0:0:0:0:ffff:0a00:0001", /IPv4-mapped/],
  ["fe80::1%eth0", /a zone is not allowed/],
  ["10.0.0.1%eth0", /a zone is not allowed/],
];
for (const [text, state] of refused) {
  test(`[NET-1] ${JSON.stringify(text)} is refused`, () => {
    assert.equal(Address.tryParse(text), undefined);
    assert.throws(
      () => Address.parse(text),
      (error) =>
        error instanceof InvalidAddressError &&
        error.message.startsWith(`Cannot parse address ${JSON.stringify(text)}: `) &&
        state.test(error.state),
    );
  });
}

test("[NET-1] every spelling of an address gives its value, as other programs read it", () => {
  const spelled = unmapped(anyAddress()).chain((address) =>
    fc.tuple(fc.constant(address), anySpelling(address)),
  );
  fc.assert(
    fc.property(spelled, ([address, spelling]) => {
      assert.equal(Address.parse(spelling).value, address.value);
      assert.equal(net.isIP(spelling), address.family === "IPv4" ? 4 : 6);
    }),
    { numRuns: 500 },
  );
});

test("[NET-1] the canonical form is the one other libraries write, and is read back", () => {
  fc.assert(
    fc.property(unmapped(anyAddress()), (address) => {
      const text = address.toString();
      assert.equal(text, canonicalElsewhere(address));
      assert.ok(Address.parse(text).equals(address));
      assert.equal(JSON.stringify({ address }), `{"address":"${text}"}`);
    }),
    { numRuns: 500 },
  );
});

test("[NET-1] what is no address elsewhere is none here", () => {
  const alike = fc.string({ unit: fc.constantFrom(...Array.from("0125fFg.:: %/")), maxLength: 24 });
  const broken = fc
    .tuple(
      anyAddress().chain(anySpelling),
      fc.nat(40),
      fc.constantFrom("", ":", ".", "0", "1", "::"),
    )
    .map(([text, at, extra]) => text.slice(0, at) + extra + text.slice(at + 1));
  fc.assert(
    fc.property(fc.oneof(alike, broken), (text) => {
      assert.equal(Address.tryParse(text) !== undefined, isAddressElsewhere(text), text);
    }),
    { numRuns: 3000 },
  );
});

test("[NET-4] offsets are integers of any size, and undo each other", () => {
  fc.assert(
    fc.property(anyAddress(), anyAddress(), (a, b) => {
      if (a.family === b.family) {
        assert.ok(a.plus(b.offsetFrom(a)).equals(b));
        assert.equal(Math.sign(a.compare(b)), Math.sign(Number(a.offsetFrom(b))));
      } else {
        assert.throws(() => a.offsetFrom(b), /their families differ/);
        assert.equal(a.compare(b), a.family === "IPv4" ? -1 : 1);
      }
      assert.equal(a.equals(b), a.compare(b) === 0);
    }),
  );
});

test("an address does not leave its family", () => {
  assert.throws(() => Address.parse("255.255.255.255").plus(1n), {
    message: "Cannot add 1 to 255.255.255.255: the result is outside of IPv4",
  });
  assert.throws(() => Address.parse("::1").plus(-2n), /outside of IPv6/);
  assert.throws(() => Address.of("IPv4", 1n << 32n), /4294967296 is outside of IPv4/);
  assert.throws(() => Address.of("IPv6", -1n), /-1 is outside of IPv6/);
});

test("an address knows what it is for, as another library sees it", () => {
  const near = fc
    .constantFrom("127.0.0.0", "169.254.0.0", "224.0.0.0", "fe80::", "ff00::", "::", "0.0.0.0")
    .chain((base) =>
      fc.bigInt({ min: 0n, max: 0xffffffn }).map((n) => Address.parse(base).plus(n)),
    );
  fc.assert(
    fc.property(unmapped(fc.oneof(near, anyAddress())), (address) => {
      const kind = ipaddr.parse(address.toString()).range();
      assert.equal(address.isLoopback, kind === "loopback");
      assert.equal(address.isLinkLocal, kind === "linkLocal");
      assert.equal(address.isMulticast, kind === "multicast");
      assert.equal(address.isUnspecified, /^(::|0\.0\.0\.0)$/.test(address.toString()));
    }),
    { numRuns: 500 },
  );
});

function unmapped(addresses: fc.Arbitrary<Address>): fc.Arbitrary<Address> {
  return addresses.filter((address) => address.value >> 32n !== 0xffffn);
}

function canonicalElsewhere(address: Address): string {
  const bytes = address.value.toString(16).padStart(address.family === "IPv4" ? 8 : 32, "0");
  const parsed = ipaddr.fromByteArray([...Buffer.from(bytes, "hex")]);
  return parsed instanceof ipaddr.IPv6 ? parsed.toRFC5952String() : parsed.toString();
}

function isAddressElsewhere(text: string): boolean {
  if (!net.isIP(text) || text.includes("%")) return false;
  const { hostname } = new URL(net.isIPv4(text) ? `http://${text}/` : `http://[${text}]/`);
  return !/^\[::ffff:[^:]+:[^:]+\]$/.test(hostname);
}
