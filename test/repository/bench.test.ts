// The benchmark harness: what it reports, not how fast anything is.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import {
  type Benchmark,
  type Case,
  distribution,
  duration,
  higher,
  load,
  lower,
  program,
  rate,
  Unavailable,
} from "../../bench/harness.ts";
import { plotOf } from "../../bench/plot.ts";
import { median, runBenchmark } from "../../bench/runner.ts";
import { readable, tableOf } from "../../bench/table.ts";

test("a report has the median, the spread and the ratio to the baseline of every figure", async () => {
  const report = await run({
    ours: () => numbers([4, 8, 6], (n) => ({ rate: higher(n, "op/s"), p99: lower(n, "ms") })),
    theirs: () => numbers([2, 3, 4], (n) => ({ rate: higher(n, "op/s"), p99: lower(n, "ms") })),
  });
  const [group] = report.groups;
  assert.deepEqual(
    group?.rows.map((row) => [row.figure, row.case, row.median, row.min, row.max, row.ratio]),
    [
      ["rate", "ours", 6, 4, 8, 2],
      ["rate", "theirs", 3, 2, 4, 1],
      ["p99", "ours", 6, 4, 8, 2],
      ["p99", "theirs", 3, 2, 4, 1],
    ],
  );
  assert.deepEqual(tableOf(report).split("\n").slice(2), [
    "group",
    "                 median      min      max    each  against theirs",
    "  ours    rate  6.00 /s  4.00 /s  8.00 /s  167 ms   2.00 × better",
    "  theirs  rate  3.00 /s  2.00 /s  4.00 /s  333 ms        baseline",
    "  ours    p99   6.00 ms  4.00 ms  8.00 ms            2.00 × worse",
    "  theirs  p99   3.00 ms  2.00 ms  4.00 ms                baseline",
    "",
  ]);
});

test("a picture has a point for each figure, better than the baseline to the right of it", async () => {
  const report = await run({
    ours: () => numbers([4, 8, 6], (n) => ({ rate: higher(n, "op/s"), p99: lower(n, "ms") })),
    theirs: () => numbers([2, 3, 4], (n) => ({ rate: higher(n, "op/s"), p99: lower(n, "ms") })),
  });
  const plot = plotOf(report) ?? "";
  const points = [...plot.matchAll(/<circle cx="([\d.]+)"/g)].map((match) => Number(match[1]));
  const [one] = [...plot.matchAll(/<line x1="([\d.]+)"[^>]*stroke="#222"/g)];
  const baseline = Number(one?.[1]);
  assert.deepEqual(
    points.map((x) => Math.sign(x - baseline)),
    [1, -1],
  );
  assert.match(plot, />ours · rate</);
  assert.match(plot, />2\.00 × {2}\(6\.00 \/s\)</);
  assert.doesNotMatch(plot, />theirs · rate</);
});

test("there is no picture of figures that are compared with nothing", async () => {
  const report = await run({
    theirs: () => numbers([1, 1, 1], (n) => ({ rate: higher(n, "op/s") })),
  });
  assert.equal(plotOf(report), undefined);
});

test("a case that is not available is a row with its reason, and one that breaks fails", async () => {
  const report = await run({
    ours: () => numbers([1, 1, 1], (n) => ({ rate: higher(n, "op/s") })),
    theirs: () => {
      throw new Unavailable("etcd is not installed");
    },
    broken: () => () => {
      throw new Error("connection refused");
    },
  });
  assert.deepEqual(report.groups[0]?.missing, [
    { case: "theirs", reason: "etcd is not installed", failed: false },
    { case: "broken", reason: "connection refused", failed: true },
  ]);
  assert.equal(report.groups[0]?.rows[0]?.ratio, undefined);
  const table = tableOf(report);
  assert.match(table, /theirs {2}not available: etcd is not installed/);
  assert.match(table, /broken {2}failed: connection refused/);
});

test("a whole benchmark may be unavailable", async () => {
  const report = await runBenchmark(
    {
      title: "x",
      groups: () => {
        throw new Unavailable("no such machine");
      },
    },
    options(),
  );
  assert.ok(report !== undefined);
  assert.match(tableOf(report), /not available: no such machine/);
});

test("cases take turns, and what they opened is closed after them", async () => {
  const seen: string[] = [];
  const noting =
    (name: string): Case =>
    (scope) => {
      seen.push(`open ${name}`);
      scope.defer(() => void seen.push(`close ${name}`));
      return () => {
        seen.push(name);
        return {};
      };
    };
  await run({ ours: noting("a"), theirs: noting("b") }, 2);
  assert.deepEqual(seen, ["open a", "open b", "a", "b", "a", "b", "close b", "close a"]);
});

test("an interrupted benchmark closes what it opened and reports nothing", async () => {
  const interrupted = new AbortController();
  let closed = false;
  const benchmark = benchmarkOf({
    ours: (scope) => {
      scope.defer(() => {
        closed = true;
      });
      return () => {
        interrupted.abort();
        return {};
      };
    },
    theirs: () => () => assert.fail("it went on"),
  });
  const report = await runBenchmark(benchmark, { ...options(), signal: interrupted.signal });
  assert.equal(report, undefined);
  assert.ok(closed);
});

test("a baseline that is none of the cases is refused", async () => {
  await assert.rejects(run({ ours: () => () => ({}) }), {
    message: "Cannot run group: its baseline theirs is none of its cases",
  });
});

test("a load runs each operation once, as many at a time as it is told", async () => {
  const seen: number[] = [];
  let running = 0;
  let most = 0;
  const measure = load({ operations: 20, concurrency: 4 }, async (n) => {
    seen.push(n);
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  });
  const figures = await measure();
  await measure();
  assert.deepEqual(seen, [...Array.from({ length: 40 }).keys()]);
  assert.equal(most, 4);
  assert.deepEqual(Object.keys(figures), ["rate", "p50", "p99"]);
});

test("a rate runs through all items", async () => {
  const seen = new Set<string>();
  const figures = await rate(["a", "b"], (item) => seen.add(item))();
  assert.deepEqual([...seen], ["a", "b"]);
  assert.ok((figures["rate"]?.value ?? 0) > 0);
});

test("a duration waits for its operation", async () => {
  let done = false;
  await duration(async () => {
    await new Promise(setImmediate);
    done = true;
  })();
  assert.ok(done);
});

test("a program is timed from start to end, and must succeed", async () => {
  assert.deepEqual(Object.keys(await program(["true"], { starts: 2 })()), ["p50", "p99"]);
  await assert.rejects(
    async () => await program(["sh", "-c", "echo $WHY >&2; exit 3"], { env: { WHY: "oh no" } })(),
    { message: "Cannot time sh: it ended with 3: oh no" },
  );
  await assert.rejects(async () => await program(["tandem-no-such-program"])(), {
    name: "Unavailable",
    message: "tandem-no-such-program is not installed",
  });
});

test("percentiles and medians are those of the sorted values", () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  assert.deepEqual(distribution(hundred), { p50: lower(50, "ms"), p99: lower(99, "ms") });
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
});

test("figures are printed in a readable size", () => {
  assert.equal(readable(0.000212, "ms"), "212 ns");
  assert.equal(readable(0.0212, "ms"), "21.2 µs");
  assert.equal(readable(61_500, "ms"), "61.5 s");
  assert.equal(readable(4_710_000, "op/s"), "4.71 M/s");
  assert.equal(readable(1_536, "events/s"), "1.54 k events/s");
  assert.equal(readable(3 * 2 ** 19, "bytes"), "1.50 MiB");
  assert.equal(readable(0, "ms"), "0.00 ns");
  assert.equal(readable(15, "events/s"), "15.0 events/s");
  assert.equal(readable(12, "rules"), "12.0 rules");
});

test("the command line explains itself and names what it does not know", () => {
  const bench = (...args: string[]) =>
    spawnSync(process.execPath, ["bench/run.ts", ...args], { encoding: "utf8" });
  assert.match(bench("--help").stdout, /^Usage: bench\/run\.ts/);
  assert.match(bench("--list").stdout, /^net$/m);
  const unknown = bench("no-such");
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /Cannot run benchmark no-such: there are .*net/);
});

function numbers<T>(values: readonly number[], figures: (n: number) => T): () => T {
  const rest = [...values];
  return () => figures(rest.shift() ?? Number.NaN);
}

function benchmarkOf(cases: Record<string, Case>): Benchmark {
  return { title: "x", groups: () => [{ name: "group", baseline: "theirs", cases }] };
}

function options(runs = 3) {
  return { name: "x", runs, signal: new AbortController().signal, progress: () => {} };
}

async function run(cases: Record<string, Case>, runs = 3) {
  const report = await runBenchmark(benchmarkOf(cases), options(runs));
  assert.ok(report !== undefined);
  return report;
}
