import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatDocument, formatListing, type Listing, outputOption } from "./output.ts";
import { parseOptions } from "./parse-options.ts";
import { createProgress } from "./progress.ts";

interface Node {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly ready?: boolean;
}

const listing: Listing<Node> = {
  rows: [
    { name: "node-one", addresses: ["10.0.0.1", "fd00::1"], ready: true },
    { name: "two", addresses: [] },
  ],
  columns: [
    { header: "Name", value: ({ name }) => name },
    { header: "IPs", value: ({ addresses }) => addresses.join(",") },
    { header: "Ready", value: ({ ready }) => ready, wide: true },
  ],
  name: ({ name }) => `node/${name}`,
};

describe("a listing", () => {
  test("as a table is aligned like kubectl's", async () => {
    assert.equal(
      await formatListing(listing, "table"),
      "NAME       IPS\nnode-one   10.0.0.1,fd00::1\ntwo        <none>\n",
    );
    assert.equal(
      await formatListing(listing, "wide"),
      `NAME       IPS                READY
node-one   10.0.0.1,fd00::1   true
two        <none>             <none>
`,
    );
    assert.equal(await formatListing({ ...listing, rows: [] }, "table"), "NAME   IPS\n");
  });

  test("in the form `name` has one kind/name on each line", async () => {
    assert.equal(await formatListing(listing, "name"), "node/node-one\nnode/two\n");
  });

  test("as JSON and YAML reads back the same", async () => {
    const document = { items: listing.rows };
    const json = await formatListing({ ...listing, document }, "json");
    assert.deepEqual(JSON.parse(json), document);
    const { parse } = await import("yaml");
    assert.deepEqual(parse(await formatListing({ ...listing, document }, "yaml")), document);
    assert.equal(await formatDocument({ a: ["b"] }, "yaml"), "a:\n  - b\n");
  });

  test("keeps a row on its line", async () => {
    const rows = [{ name: "a\nb\tc", addresses: ["x"] }];
    assert.equal(await formatListing({ ...listing, rows }, "table"), "NAME    IPS\na b c   x\n");
  });
});

test("the option takes the formats a command has, the first by default", async () => {
  const parse = async (...argv: string[]) =>
    (await parseOptions(outputOption(["table", "json"]), { argv, env: { TANDEM_OUTPUT: "json" } }))
      .values.output;
  assert.equal(await parse(), "table");
  assert.equal(await parse("-ojson"), "json");
  await assert.rejects(
    parse("-o", "yaml"),
    /Cannot use --output=yaml: expected one of table, json/,
  );
});

describe("progress", () => {
  /** A clock that each reading advances. */
  const steppingClock = (milliseconds: number) => {
    let time = 0;
    return () => (time += milliseconds);
  };

  test("is plain lines without a terminal", async () => {
    const lines: string[] = [];
    const progress = createProgress({ write: (text) => lines.push(text) }, steppingClock(1200));
    assert.equal(await progress.step("Start server", async () => 7), 7);
    await assert.rejects(
      progress.step("Start agent", () => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.deepEqual(lines, [
      "Start server ...\n",
      "Start server done (1.2 s)\n",
      "Start agent ...\n",
      "Start agent failed (1.2 s)\n",
    ]);
  });

  test("is a spinner and marks on a terminal, also side by side", async () => {
    let screen = "";
    const stream = {
      write: (text: string) => (screen += text),
      isTTY: true,
      columns: 20,
      hasColors: () => true,
    };
    const progress = createProgress(stream, steppingClock(10));
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = progress.step("slow", () => promise);
    await progress.step("quick", async () => {});
    resolve();
    await slow;
    assert.equal(
      screen,
      "\r\x1b[K⠋ slow\r\x1b[K⠙ slow, quick\r\x1b[K\x1b[32m✓\x1b[0m quick (10 ms)\n\r\x1b[K⠹ slow\r\x1b[K\x1b[32m✓\x1b[0m slow (30 ms)\n",
    );
  });

  test("tells long times in minutes", async () => {
    const lines: string[] = [];
    const progress = createProgress({ write: (text) => lines.push(text) }, steppingClock(119_900));
    await progress.step("Boot", async () => {});
    assert.equal(lines.at(-1), "Boot done (2 min 0 s)\n");
  });
});
