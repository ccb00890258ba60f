// What `tandem check` says of a cluster.

import { join } from "node:path";
import { CommandError } from "../../src/base/host/error.ts";
import type { Report, Result } from "../../src/inspect/check/results.ts";
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
    const text = await cluster.tandem(["check", "--output=json", ...flags], { timeoutMs: 200_000 });
    return { ...(JSON.parse(text) as Report), exitCode: 0 };
  } catch (error) {
    if (!(error instanceof CommandError) || !error.stdout.startsWith("{")) throw error;
    return { ...(JSON.parse(error.stdout) as Report), exitCode: error.exitCode ?? -1 };
  }
}

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;

/** From the host outside, which asks as well; it answers at the port of the built-in image. */
export async function checkFromOutside(
  cluster: TestCluster,
  { outside, flags }: { readonly outside: readonly string[]; readonly flags: readonly string[] },
): Promise<CheckOutcome> {
  const commands = cluster.in("outside");
  const targets = outside.map((host) => (host.includes(":") ? `[${host}]:8080` : `${host}:8080`));
  return await checkReport(
    { tandem: async (args, options) => (await commands.run([launcher, ...args], options)).stdout },
    [
      `--kubeconfig=${join(cluster.directory, "data", "server", "admin.kubeconfig")}`,
      `--outside=${targets.join(",")}`,
      "--from-here",
      "--answer-timeout=5s",
      ...flags,
    ],
  );
}

/** To compare them by. */
export function textsOf(results: readonly Result[]): readonly string[] {
  return results.map(({ from, to, family, protocol }) => {
    const sender = from.kind === "here" ? "here" : `${from.kind} on ${from.node}`;
    return `${sender} to ${to}, ${family}, ${protocol}`;
  });
}
