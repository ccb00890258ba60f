// The contract of iptables, which the real one, in both variants and families, and the fake must fulfil.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CommandError, isAlreadyExists, isInUse, isInvalid, isNotFound } from "../error.ts";
import type { Iptables } from "../iptables.ts";

interface Options {
  /** Opens iptables with empty tables. */
  readonly open: () => Promise<Iptables>;
  /** Whether errors tell the reason; the legacy tools only name the line that failed. */
  readonly tellsWhy: boolean;
}

export function iptablesContract(kind: string, { open, tellsWhy }: Options): void {
  describe(`${kind} iptables`, () => {
    test("what is restored is saved, and what is not mentioned stays", async () => {
      const iptables = await open();
      await iptables.restore(base);
      assert.equal(await iptables.save("nat"), baseSaved);
      await iptables.restore("*nat\n:WEB - [0:0]\n-A WEB -j ACCEPT\n-I OTHER -j WEB\nCOMMIT\n");
      assert.equal(
        await iptables.save("nat"),
        baseSaved
          .replace("-A OTHER", "-A OTHER -j WEB\n-A OTHER")
          .replace(/-A WEB .*/, "-A WEB -j ACCEPT"),
      );
    });

    test("chains of the kernel keep their rules and get their policy", async () => {
      const iptables = await open();
      await iptables.restore("*filter\n:INPUT DROP [0:0]\n-A INPUT -j ACCEPT\nCOMMIT\n");
      await iptables.restore("*filter\n:INPUT ACCEPT [5:6]\n-P OUTPUT DROP\nCOMMIT\n");
      assert.equal(
        await iptables.save("filter"),
        "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT DROP [0:0]\n-A INPUT -j ACCEPT\nCOMMIT\n",
      );
    });

    test("rules and chains are taken away again", async () => {
      const iptables = await open();
      await iptables.restore(base);
      await iptables.restore(`*nat
-I OTHER 2 -j ACCEPT
-D OTHER 1
-D PREROUTING -m comment --comment "service portals" -j WEB
-F WEB
-X WEB
COMMIT
`);
      assert.equal(
        await iptables.save("nat"),
        baseSaved
          .replace(":WEB - [0:0]\n", "")
          .replace(/-A PRE.*\n-A OTHER .*\n-A WEB .*/, "-A OTHER -j ACCEPT"),
      );
    });

    test("a table is done as a whole or not at all", async () => {
      const iptables = await open();
      await iptables.restore(base);
      const both = `*filter\n:DONE - [0:0]\nCOMMIT\n*nat\n-A WEB -j DROP\n-A NOPE -j ACCEPT\nCOMMIT\n`;
      await assert.rejects(iptables.restore(both), CommandError);
      assert.equal(await iptables.save("nat"), baseSaved);
      assert.match(await iptables.save("filter"), /^:DONE/m);
    });

    for (const [line, predicate] of refusals) {
      test(`refuses ${line.replace("\n", "; ")}`, async () => {
        const iptables = await open();
        await iptables.restore(base);
        await assert.rejects(iptables.restore(`*nat\n${line}\nCOMMIT\n`), (error) => {
          assert(error instanceof CommandError);
          return tellsWhy ? predicate(error) : true;
        });
        assert.equal(await iptables.save("nat"), baseSaved);
      });
    }

    test("refuses text without an end, and tables nobody knows", async () => {
      const iptables = await open();
      await assert.rejects(iptables.restore("*nat\n-A PREROUTING -j ACCEPT\n"), isInvalid);
      await assert.rejects(iptables.restore("*nope\nCOMMIT\n"), CommandError);
    });
  });
}

const base = `*nat
:WEB - [0:0]
:OTHER - [0:0]
-A PREROUTING -m comment --comment "service portals" -j WEB
-A WEB -p tcp -m tcp --dport 80 -j OTHER
-A OTHER -j RETURN
COMMIT
`;

const baseSaved = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:OTHER - [0:0]
:WEB - [0:0]
-A PREROUTING -m comment --comment "service portals" -j WEB
-A OTHER -j RETURN
-A WEB -p tcp -m tcp --dport 80 -j OTHER
COMMIT
`;

const refusals: readonly (readonly [string, (error: unknown) => boolean])[] = [
  ["-A NOPE -j ACCEPT", isNotFound],
  ["-A WEB -j NOPE", isNotFound],
  ["-D WEB -j ACCEPT", isNotFound],
  ["-D WEB 7", isNotFound],
  ["-X NOPE", isNotFound],
  ["-N WEB", isAlreadyExists],
  ["-X WEB", isInUse],
  ["-F OTHER\n-X OTHER", isInUse],
  ["--bogus", isInvalid],
];
