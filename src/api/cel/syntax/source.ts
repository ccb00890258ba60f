// Errors with a place in the source, printed with the line and a mark below it.

export interface Issue {
  /** The offset in the source, in code points. */
  readonly at: number;
  readonly message: string;
}

/** An expression is not valid. The message has one paragraph per issue. */
export class CelIssues extends Error {
  readonly issues: readonly Issue[];

  constructor(source: string, issues: readonly Issue[]) {
    super(issues.map((issue) => describe(source, issue)).join("\n"));
    this.name = "CelIssues";
    this.issues = issues;
  }
}

const longestSnippet = 16_384;

function describe(source: string, { at, message }: Issue): string {
  const before = Array.from(source).slice(0, at);
  const line = before.filter((point) => point === "\n").length;
  const column = at - (before.lastIndexOf("\n") + 1);
  const head = `ERROR: <input>:${line + 1}:${column + 1}: ${message}`;
  const text = (source.split("\n")[line] ?? "").replaceAll("\t", " ");
  if (text.length > longestSnippet) return head;
  const points = Array.from(text);
  const dots = points.slice(0, column).map((point) => (isWide(point) ? "．" : "."));
  const mark = isWide(points[column] ?? "") ? "＾" : "^";
  return `${head}\n | ${text}\n | ${dots.join("")}${mark}`;
}

function isWide(point: string): boolean {
  return (point.codePointAt(0) ?? 0) > 0x7f;
}
