// The contract of nft, which the real one and the fake must fulfil.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isNotFound } from "../error.ts";
import { base, harmless, refusals, scripts } from "../nft/testing/contract-cases.ts";
import { canonicalText } from "../nft.fake.ts";
import type { Nft, NftTable } from "../nft.ts";

const table: NftTable = { family: "ip", name: "t" };

/** Declares the contract's tests; `open` returns an empty ruleset. */
export function nftContract(kind: string, open: () => Promise<Nft>): void {
  const state = async (nft: Nft): Promise<string> => {
    const texts = await Promise.all((await nft.tables()).map((one) => nft.text(one)));
    return canonicalText(texts.join("\n"));
  };

  describe(`${kind} nft: scripts`, () => {
    for (const [name, script, expected] of scripts) {
      test(name, async () => {
        const nft = await open();
        await nft.apply(script);
        assert.equal(await state(nft), lines(expected));
        await nft.apply("flush ruleset");
        await nft.apply(lines(expected));
        assert.equal(await state(nft), lines(expected), "what it prints makes the same again");
      });
    }
  });

  describe(`${kind} nft: refusals`, () => {
    for (const [script, predicate] of refusals) {
      test(script.replaceAll("\n", "; "), async () => {
        const nft = await open();
        await nft.apply(base);
        const before = await state(nft);
        await assert.rejects(nft.check(`add table ip6 more\n${script}`), predicate);
        await assert.rejects(nft.apply(`add table ip6 more\n${script}`), predicate);
        assert.equal(await state(nft), before, "nothing of it is done");
      });
    }
  });

  describe(`${kind} nft: what is no mistake`, () => {
    for (const script of harmless) {
      test(script.replaceAll("\n", "; "), async () => {
        const nft = await open();
        await nft.apply(base);
        await nft.check(script);
        await nft.apply(script);
      });
    }
  });

  test(`${kind} nft: checking changes nothing`, async () => {
    const nft = await open();
    await nft.check("add table ip t");
    assert.deepEqual(await nft.tables(), []);
  });

  test(`${kind} nft: tables can be deleted again and again`, async () => {
    const nft = await open();
    await nft.apply("add table ip t\nadd table inet t");
    await nft.deleteTable(table);
    await nft.deleteTable(table);
    assert.deepEqual(await nft.tables(), [{ family: "inet", name: "t" }]);
  });

  test(`${kind} nft: objects and elements are listed as values`, async () => {
    const nft = await open();
    await nft.apply(base);
    assert.deepEqual(await nft.objects(table), {
      chains: ["c", "input"],
      sets: ["s"],
      maps: ["m"],
    });
    await nft.apply(`
      add map ip t n { type ipv4_addr . inet_proto . mark : ipv4_addr . inet_service ; }
      add element ip t n { 10.0.0.1 . udp . 0x2a comment "web" : 10.1.0.1 . 80 }
      add set ip t seen { type ifname . inet_service ; flags timeout ; }
      add element ip t seen { "eth0" . 80 timeout 1m30s }
      add set ip t ranges { type inet_service ; flags interval ; }
      add element ip t ranges { 1000-2000 }`);
    assert.deepEqual(await nft.elements({ table, kind: "map", name: "n" }), [
      { key: ["10.0.0.1", "udp", "42"], value: ["10.1.0.1", "80"], comment: "web" },
    ]);
    assert.deepEqual(await nft.elements({ table, kind: "map", name: "m" }), [
      { key: ["10.0.0.1"], value: ["goto c"] },
    ]);
    assert.deepEqual(await nft.elements({ table, kind: "set", name: "seen" }), [
      { key: ["eth0", "80"], timeoutSeconds: 90 },
    ]);
    assert.deepEqual(await nft.elements({ table, kind: "set", name: "ranges" }), [
      { key: ["1000-2000"] },
    ]);
    assert.deepEqual(await nft.elements({ table, kind: "set", name: "s" }), []);
  });

  test(`${kind} nft: an outline changes with rules, and not with elements`, async () => {
    const nft = await open();
    await nft.apply(base);
    const before = await nft.outline(table);
    await nft.apply("add element ip t s { 10.0.0.9 }");
    assert.equal(await nft.outline(table), before);
    await nft.apply("flush chain ip t input");
    assert.notEqual(await nft.outline(table), before);
  });

  test(`${kind} nft: what is not there cannot be listed`, async () => {
    const nft = await open();
    await assert.rejects(nft.text(table), isNotFound);
    await assert.rejects(nft.outline(table), isNotFound);
    await assert.rejects(nft.objects(table), isNotFound);
    await nft.apply(base);
    await assert.rejects(nft.elements({ table, kind: "set", name: "nope" }), isNotFound);
    await assert.rejects(nft.elements({ table, kind: "set", name: "m" }), isNotFound);
  });
}

function lines(text: string): string {
  return text.replaceAll(/^\s+/gm, "").replace(/\n*$/, text.trim() === "" ? "" : "\n");
}
