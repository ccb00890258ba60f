import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../test/fixtures/any-text.ts";
import { Registry } from "./metrics.ts";
import { registerProcessMetrics } from "./process-metrics.system.ts";

test("counters and gauges without labels are there from the start", () => {
  const registry = new Registry();
  const requests = registry.counter("requests_total", { help: "All requests." });
  const open = registry.gauge("open", { help: "Open\nnow, \\o/." });
  requests.increment();
  requests.increment(1.5);
  open.set(5);
  open.add(-7);
  assert.equal(
    registry.render(),
    `# HELP requests_total All requests.
# TYPE requests_total counter
requests_total 2.5
# HELP open Open\\nnow, \\\\o/.
# TYPE open gauge
open -2
`,
  );
});

test("labels find the same child again", () => {
  const registry = new Registry();
  const requests = registry.counter("r", { help: "h", labels: ["verb", "code"] });
  requests.with("GET", "200").increment();
  requests.with("GET", "404").increment();
  requests.with("PUT", "200").increment();
  requests.with("GET", "200").increment();
  assert.equal(requests.with("GET", "200"), requests.with("GET", "200"));
  const samples = () => registry.render().split("\n").slice(2, -1);
  assert.deepEqual(samples(), [
    'r{verb="GET",code="200"} 2',
    'r{verb="GET",code="404"} 1',
    'r{verb="PUT",code="200"} 1',
  ]);
  requests.remove("GET", "200");
  requests.remove("never", "seen");
  assert.deepEqual(samples(), ['r{verb="GET",code="404"} 1', 'r{verb="PUT",code="200"} 1']);
});

test("histograms count cumulatively", () => {
  const registry = new Registry();
  const histogram = registry.histogram("d", { help: "h", labels: ["q"], buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 3]) histogram.with("x").observe(value);
  assert.deepEqual(registry.render().split("\n").slice(1, -1), [
    "# TYPE d histogram",
    'd_bucket{q="x",le="0.1"} 2',
    'd_bucket{q="x",le="1"} 3',
    'd_bucket{q="x",le="+Inf"} 4',
    'd_sum{q="x"} 3.65',
    'd_count{q="x"} 4',
  ]);
});

test("any label value survives the text format", () => {
  fc.assert(
    fc.property(anyText(), (value) => {
      const registry = new Registry();
      registry
        .gauge("g", { help: "h", labels: ["l"] })
        .with(value)
        .set(1);
      const lines = registry.render().split("\n");
      assert.equal(lines.length, 4);
      const [, escaped = ""] = /^g\{l="(.*)"\} 1$/s.exec(lines[2] ?? "") ?? assert.fail(lines[2]);
      assert.equal(unescape(escaped), value);
    }),
  );
});

test("numbers are written as Prometheus reads them", () => {
  const registry = new Registry();
  const gauge = registry.gauge("g", { help: "h" });
  for (const [value, text] of [
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [Number.NaN, "NaN"],
    [1e21, "1e+21"],
    [0.1, "0.1"],
  ] as const) {
    gauge.set(value);
    assert.match(registry.render(), new RegExp(`^g ${text.replace("+", "\\+")}$`, "m"));
  }
});

test("what would not be readable is refused", () => {
  const registry = new Registry();
  registry.counter("once_total", { help: "h" });
  assert.throws(() => registry.gauge("once_total", { help: "h" }), /Cannot register once_total/);
  assert.throws(() => registry.gauge("a-b", { help: "h" }), /no name for a metric/);
  assert.throws(() => registry.gauge("a", { help: "h", labels: ["__x"] }), /no name for a label/);
  assert.throws(() => registry.gauge("a", { help: "h", labels: ["x", "x"] }), /there twice/);
  assert.throws(() => registry.histogram("a", { help: "h", labels: ["le"] }), /"le"/);
  assert.throws(() => registry.histogram("a", { help: "h", buckets: [1, 1] }), /do not ascend/);
  const counter = registry.counter("c", { help: "h" });
  assert.throws(() => counter.increment(-1), /Cannot add -1 to c/);
});

test("process metrics report memory, CPU and start time", () => {
  const registry = new Registry();
  registerProcessMetrics(registry);
  const value = (name: string) =>
    Number(new RegExp(`^${name} (.*)$`, "m").exec(registry.render())?.[1]);
  assert.ok(value("process_resident_memory_bytes") > 1e6);
  assert.ok(value("process_cpu_seconds_total") > 0);
  assert.ok(value("process_open_fds") >= 3);
  assert.ok(value("process_start_time_seconds") <= Date.now() / 1000);
  assert.match(registry.render(), /^nodejs_eventloop_lag_seconds\{quantile="0.99"\} [\d.e-]+$/m);
  assert.match(registry.render(), /^tandem_build_info\{version="\d+\.\d+\.\d+",node="26\./m);
});

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}
