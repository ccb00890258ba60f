// The report of `tandem check` on a cluster.

import assert from "node:assert/strict";
import { join } from "node:path";
import { CommandError } from "../../src/base/host/error.ts";
import type { Report, Result } from "../../src/inspect/check/results.ts";
import type { TestCluster } from "./cluster.fixture.ts";

export interface CheckOutcome extends Report {
  readonly exitCode: number;
}

/** Runs `tandem check` and reads its report, also when it exits with 1 because something fails. */
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

/**
 * Runs `tandem check` on the outside host, which is checked as a client too, and serves at the port of
 * the built-in image.
 */
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

/** Writes results as texts, to compare them. */
export function textsOf(results: readonly Result[]): readonly string[] {
  return results.map(({ from, to, family, protocol }) => {
    const sender = from.kind === "here" ? "here" : `${from.kind} on ${from.node}`;
    return `${sender} to ${to}, ${family}, ${protocol}`;
  });
}

/** What node-1 and its pods send over IPv6 does not reach node-2. */
export async function cutBetweenNodes(cluster: TestCluster): Promise<void> {
  const jsonpath = "jsonpath={.spec.podCIDRs[*]} {.status.addresses[*].address}";
  const text = await cluster.kubectl.run("get", "node", "node-1", "-o", jsonpath);
  const sources = text.split(" ").filter((each) => each.includes(":"));
  assert.equal(sources.length, 2);
  const rules = `table inet cut {
    chain arriving {
      type filter hook prerouting priority raw;
      iifname "eth0" ip6 saddr { ${sources.join(", ")} } meta l4proto { tcp, udp } drop
    }
  }`;
  await cluster.in("node-2").run(["nft", "-f", "-"], { stdin: rules });
}

/** Undoes `cutBetweenNodes`. */
export async function mendBetweenNodes(cluster: TestCluster): Promise<void> {
  await cluster.in("node-2").run(["nft", "delete", "table", "inet", "cut"]);
}
