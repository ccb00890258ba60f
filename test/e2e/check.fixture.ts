// What `tandem check` says of a cluster.

import type { Report, Result } from "../../src/cli/check-results.ts";
import { CommandError } from "../../src/host/error.ts";
import type { TestCluster } from "./cluster.fixture.ts";

export interface CheckOutcome extends Report {
  readonly exitCode: number;
}

/** Something that does not work makes it end with 1, and is in the answer. */
export async function checkReport(
  cluster: Pick<TestCluster, "tandem">,
  flags: readonly string[] = [],
): Promise<CheckOutcome> {
  try {
    const text = await cluster.tandem(["check", "--output=json", ...flags], { timeoutMs: 120_000 });
    return { ...(JSON.parse(text) as Report), exitCode: 0 };
  } catch (error) {
    if (!(error instanceof CommandError) || !error.stdout.startsWith("{")) throw error;
    return { ...(JSON.parse(error.stdout) as Report), exitCode: error.exitCode ?? -1 };
  }
}

/** To compare them by. */
export function textsOf(results: readonly Result[]): readonly string[] {
  return results.map(({ from, to, family, protocol }) => {
    const sender = from.kind === "here" ? "here" : `${from.kind} on ${from.node}`;
    return `${sender} to ${to}, ${family}, ${protocol}`;
  });
}
