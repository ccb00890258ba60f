import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { formatDefaultConfig } from "./default-config.ts";
import { formatManual } from "./manual.ts";
import { demo } from "./testing/demo.ts";

test("[INST-1] the man page has every command, its options and examples, and nothing that roff would take for a request", async () => {
  const page = await formatManual(demo, { version: "1.2.3", date: "2026-01-02" });
  assert.match(page, /^\.TH DEMO 8 2026-01-02 "demo 1\.2\.3"\n/);
  assert.match(page, /\n\.SS demo scale NAME \[OTHER\.\.\.\] \[options\]\n/);
  assert.match(page, /\n\.TP\n\.B \\-\\-copies NUMBER\nHow many\. \(required\)\n/);
  assert.match(page, /\ndemo scale web \\-\\-copies 3\n/);
  const requests = page.split("\n").filter((line) => line.startsWith("."));
  assert.deepEqual(
    requests.filter((line) => !/^\.(TH|SH|SS|TP|PP|B|I|nf|fi)( |$)/.test(line)),
    [],
  );
});

test("[INST-1] a default configuration shows every key and gives no value", async () => {
  const [scale = assert.fail()] = demo.commands;
  assert.ok("load" in scale);
  const { command } = await scale.load();
  const text = formatDefaultConfig("demo scale", command);
  assert.equal(parse(text), null);
  const uncommented = parse(text.replaceAll(/^#(?=[a-zA-Z]+: )/gm, "")) as object;
  assert.deepEqual(Object.keys(uncommented), ["copies", "wait", "mode", "logLevel", "logFormat"]);
});
