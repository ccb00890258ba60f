import { CommandError, restated } from "../error.ts";

/** Rewrites the error of a batch to name the line that failed. */
export function batchFailed(lines: readonly string[], error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  const line = failedLine(lines, error.stderr);
  if (line === undefined) return error;
  const said = error.stderr.replace(/^Command failed .*$/m, "").trim();
  return restated(error, { message: `Cannot run "ip ${line}": ${said}` });
}

/**
 * Finds the line that failed. ip names it, except where it gives up in the middle of it: then it quotes a
 * word of the line, or the line was about neighbours, the one object whose failures end the program.
 */
function failedLine(lines: readonly string[], stderr: string): string | undefined {
  const number = /^Command failed .*:(\d+)$/m.exec(stderr)?.[1];
  if (number !== undefined) return lines[Number(number) - 1];
  const quoted = [...stderr.matchAll(/"([^"]+)"/g)].map(([, word]) => word ?? "");
  const suspects = lines.filter((line) =>
    quoted.length > 0
      ? quoted.some((word) => line.split(/\s+/).includes(word))
      : /^\s*(-[46]\s+)?n/.test(line),
  );
  return suspects.length === 1 ? suspects[0] : undefined;
}
