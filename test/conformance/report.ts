/** What ginkgo's JSON report says of one test, as far as it is read here. */
interface SpecReport {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly State: string;
  /** Nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: { readonly Message: string };
}

export interface TestResult {
  readonly name: string;
  readonly sig: string;
  /** `skipped` is what the test itself said of this cluster, never what the focus left out. */
  readonly state: "passed" | "failed" | "skipped";
  readonly seconds: number;
  /** The first line of what the suite said of a failure, or why the test does not apply. */
  readonly message: string;
}

/** The tests that ran, by ginkgo's JSON report; those that the focus left out are not among them. */
export function readReport(text: string): readonly TestResult[] {
  const suites = JSON.parse(text) as readonly { SpecReports: readonly SpecReport[] | null }[];
  return suites
    .flatMap((suite) => suite.SpecReports ?? [])
    .filter((spec) => spec.LeafNodeType === "It" && !isLeftOut(spec))
    .map((spec) => {
      const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" ");
      return {
        name,
        sig: /\[sig-([a-z-]+)\]/.exec(name)?.[1] ?? "none",
        state: spec.State === "passed" || spec.State === "skipped" ? spec.State : "failed",
        seconds: spec.RunTime / 1e9,
        message: (spec.Failure?.Message ?? "").split("\n")[0] ?? "",
      };
    });
}

/** Only a test that skips itself says why. */
function isLeftOut(spec: SpecReport): boolean {
  if (spec.State === "pending") return true;
  return spec.State === "skipped" && (spec.Failure?.Message ?? "") === "";
}

export interface Run {
  readonly date: string;
  readonly commit: string;
  readonly version: string;
  readonly cluster: string;
  readonly focus: string;
  readonly skip: string;
  readonly minutes: number;
  readonly results: readonly TestResult[];
}

/** One test of the first run, with what a later run said of it. */
interface Row {
  readonly result: TestResult;
  readonly again?: { readonly run: Run; readonly result: TestResult } | undefined;
}

const states = ["passed", "failed", "skipped"] as const;

/** A page with the sums by SIG, then each test of the first run; later runs are of single tests of it. */
export function pageOf([run, ...later]: readonly [Run, ...Run[]]): string {
  const rows = run.results.map((result): Row => ({ result, again: findAgain(result, later) }));
  const bySig = [...Map.groupBy(rows, (row) => row.result.sig)].toSorted(([a], [b]) =>
    a.localeCompare(b),
  );
  const sums = bySig.map(([sig, ofSig]) => [sig, ...countsOf(ofSig)]);
  const lines = [
    `# Kubernetes ${run.version} end-to-end tests: ${run.cluster}`,
    "",
    `Run on ${run.date} at commit ${run.commit} with \`make conformance\`, focus \`${run.focus}\`${run.skip === "" ? "" : `, without \`${run.skip}\``}, in ${run.minutes} minutes. This page is written by the run.`,
    ...(later.length === 0 ? [] : ["", ...laterLines(rows, later)]),
    "",
    "| SIG | passed | failed | skipped by the test itself |",
    "|---|---|---|---|",
    ...[...sums, ["all", ...countsOf(rows)]].map((row) => `| ${row.join(" | ")} |`),
  ];
  for (const [sig, ofSig] of bySig) {
    lines.push("", `## ${sig}`, "", "| | test | seconds |", "|---|---|---|");
    for (const row of ofSig.toSorted((a, b) => a.result.name.localeCompare(b.result.name))) {
      lines.push(lineOf(row));
    }
  }
  return `${lines.join("\n")}\n`;
}

/** What the last of the later runs that had the test said of it. */
function findAgain(result: TestResult, later: readonly Run[]): Row["again"] {
  for (const run of later.toReversed()) {
    const found = run.results.find((other) => other.name === result.name);
    if (found !== undefined) return { run, result: found };
  }
  return undefined;
}

function laterLines(rows: readonly Row[], later: readonly Run[]): readonly string[] {
  const inFirst = rows.filter((row) => row.result.state === "passed").length;
  const places = later.map((run) => `${run.date} at commit ${run.commit}`);
  return [
    `In that one run ${inFirst} of ${rows.length} passed. Single tests were run again later; the sums below take their last result, and their rows say so:`,
    "",
    ...[...new Set(places)].map((place) => `- ${place}`),
  ];
}

function countsOf(rows: readonly Row[]): readonly number[] {
  return states.map((state) => rows.filter((row) => lastOf(row).state === state).length);
}

function lastOf(row: Row): TestResult {
  return row.again?.result ?? row.result;
}

function lineOf(row: Row): string {
  const last = lastOf(row);
  const state = last.state === "failed" ? "**failed**" : last.state;
  const again = row.again === undefined ? "" : ` again at ${row.again.run.commit}`;
  const before =
    row.again === undefined || row.result.state === "passed"
      ? ""
      : `; ${row.result.state} in the whole run: ${plain(row.result.message)}`;
  const why = last.state === "passed" ? "" : `: ${plain(last.message)}`;
  return `| ${state}${again} | ${plain(last.name)}${why}${before} | ${Math.round(last.seconds)} |`;
}

function plain(text: string): string {
  return text.replaceAll("|", "\\|").slice(0, 300);
}
