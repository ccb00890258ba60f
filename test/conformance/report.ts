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
  readonly isPassed: boolean;
  readonly seconds: number;
  /** The first line of what the suite said of a failure. */
  readonly message: string;
}

/** The tests that ran, by ginkgo's JSON report; those that the focus left out are not among them. */
export function readReport(text: string): readonly TestResult[] {
  const suites = JSON.parse(text) as readonly { SpecReports: readonly SpecReport[] | null }[];
  return suites
    .flatMap((suite) => suite.SpecReports ?? [])
    .filter((spec) => spec.LeafNodeType === "It" && !["skipped", "pending"].includes(spec.State))
    .map((spec) => {
      const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" ");
      return {
        name,
        sig: /\[sig-([a-z-]+)\]/.exec(name)?.[1] ?? "none",
        isPassed: spec.State === "passed",
        seconds: spec.RunTime / 1e9,
        message: (spec.Failure?.Message ?? "").split("\n")[0] ?? "",
      };
    });
}

export interface Run {
  readonly date: string;
  readonly version: string;
  readonly cluster: string;
  readonly focus: string;
  readonly skip: string;
  readonly minutes: number;
  readonly results: readonly TestResult[];
}

/** A page with the sums by SIG, then each test. */
export function pageOf(run: Run): string {
  const bySig = [...Map.groupBy(run.results, (result) => result.sig)].toSorted(([a], [b]) =>
    a.localeCompare(b),
  );
  const rows = bySig.map(([sig, results]) => [sig, ...countsOf(results)]);
  const lines = [
    `# Kubernetes ${run.version} end-to-end tests: ${run.cluster}`,
    "",
    `Run on ${run.date} with \`make conformance\`, focus \`${run.focus}\`${run.skip === "" ? "" : `, without \`${run.skip}\``}, in ${run.minutes} minutes. This page is written by the run.`,
    "",
    "| SIG | passed | failed |",
    "|---|---|---|",
    ...[...rows, ["all", ...countsOf(run.results)]].map((row) => `| ${row.join(" | ")} |`),
  ];
  for (const [sig, results] of bySig) {
    lines.push("", `## ${sig}`, "", "| | test | seconds |", "|---|---|---|");
    for (const result of results.toSorted((a, b) => a.name.localeCompare(b.name))) {
      const why = result.isPassed ? "" : `: ${plain(result.message)}`;
      lines.push(
        `| ${result.isPassed ? "passed" : "**failed**"} | ${plain(result.name)}${why} | ${Math.round(result.seconds)} |`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

function countsOf(results: readonly TestResult[]): readonly number[] {
  const passed = results.filter((result) => result.isPassed).length;
  return [passed, results.length - passed];
}

function plain(text: string): string {
  return text.replaceAll("|", "\\|").slice(0, 300);
}
