import assert from "node:assert/strict";
import { test } from "node:test";
import { optionHelp, optionReference } from "./option-help.ts";
import { boolean, integer, oneOf, text } from "./option-types.ts";
import { defineOptions } from "./options.ts";
import { twoColumns, wrap } from "./wrap.ts";

const options = defineOptions({
  nodes: { type: integer({ placeholder: "COUNT" }), default: 3, help: "How many nodes." },
  mode: { type: oneOf(["a", "b"], "MODE"), short: "m", help: "Either a or b." },
  wait: { type: boolean(), default: true, help: "Wait until all is ready." },
  store: { type: text("URL"), required: true, help: "Where data is.", env: "STORE", key: false },
  secret: { type: text(), help: "For tests.", hidden: true },
  verbose: { type: boolean(), default: false, help: "Say more | less.", group: "Others" },
});

test("help is aligned, grouped, and tells defaults", () => {
  assert.equal(
    optionHelp(options, 60).join("\n"),
    `Options:
      --nodes COUNT   How many nodes. (default 3)
  -m, --mode MODE     Either a or b.
      --[no-]wait     Wait until all is ready. (default
                      true)
      --store URL     Where data is. (required, or $STORE)

Others:
      --verbose       Say more | less.
`,
  );
});

test("the reference has every way to say it", () => {
  assert.equal(
    optionReference(options),
    `| flag | environment | file | default | meaning |
| --- | --- | --- | --- | --- |
| \`--nodes COUNT\` | \`TANDEM_NODES\` | \`nodes\` | \`3\` | How many nodes. |
| \`-m\`, \`--mode MODE\` | \`TANDEM_MODE\` | \`mode\` |  | Either a or b. |
| \`--[no-]wait\` | \`TANDEM_WAIT\` | \`wait\` | \`true\` | Wait until all is ready. |
| \`--store URL\` | \`STORE\` |  | required | Where data is. |
| \`--verbose\` | \`TANDEM_VERBOSE\` | \`verbose\` |  | Say more \\| less. |
`,
  );
});

test("a left column that is too long gets a line of its own", () => {
  const rows = [
    ["short", "right"],
    ["a left column that is too long for this", "right"],
  ] as const;
  assert.deepEqual(twoColumns(rows, { width: 80 }), [
    "  short   right",
    "  a left column that is too long for this",
    "          right",
  ]);
});

test("wrapping leaves indented lines and long words alone", () => {
  assert.deepEqual(wrap("one two three\n\n  as  it   is\nunbreakable", 8), [
    "one two",
    "three",
    "",
    "  as  it   is",
    "unbreakable",
  ]);
});
