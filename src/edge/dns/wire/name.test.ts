import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fits, isWithin, labelsOf, nameOf, parentOf, textOf, tryNameOf, under } from "./name.ts";

const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/);
const labels = fc.array(label, { minLength: 1, maxLength: 8 });

describe("a name", () => {
  it("is read and written back, in lower case", () => {
    assert.equal(nameOf("Web.Default"), "\x03web\x07default");
    assert.equal(nameOf("web.default."), nameOf("web.default"));
    fc.assert(
      fc.property(labels, (parts) => {
        const name = nameOf(parts.join("."));
        assert.equal(textOf(name), `${parts.join(".")}.`);
        assert.deepEqual(labelsOf(name), parts);
        assert.equal(under(parts[0] ?? "", parentOf(name)), name);
      }),
    );
  });

  it("of the root is empty", () => {
    assert.equal(nameOf("."), "");
    assert.equal(textOf(""), ".");
  });

  it("is refused when it has no room on the wire", () => {
    for (const text of ["", "a..b", ".a", "x".repeat(64), `${"abcdefg.".repeat(32)}x`, "é.de"]) {
      assert.equal(tryNameOf(text), undefined, text);
      assert.throws(() => nameOf(text), /^Error: Cannot use /);
    }
    assert.equal(tryNameOf("x".repeat(63))?.length, 64);
    assert.equal(fits("x".repeat(64), ""), false);
    assert.equal(fits("a b", ""), false);
    assert.equal(fits("_http", nameOf("_tcp.web")), true);
  });

  it("is within a zone only from the beginning of a label", () => {
    const zone = nameOf("cluster.local");
    assert.ok(isWithin(zone, zone));
    assert.ok(isWithin(nameOf("web.cluster.local"), zone));
    assert.ok(!isWithin(nameOf("mycluster.local"), zone));
    assert.ok(!isWithin(nameOf("local"), zone));
    // A label whose last bytes look like the zone.
    assert.ok(!isWithin(`\x09x\x07cluster\x05local`, zone));
  });

  it("shows what cannot be printed by its number", () => {
    assert.equal(textOf("\x04a.\0\\"), "a\\.\\000\\\\.");
  });
});
