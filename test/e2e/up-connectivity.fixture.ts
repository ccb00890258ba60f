// The kinds of clusters in which everything must reach everything.

import type { Family } from "../../src/base/net/family.ts";
import { Prefix } from "../../src/base/net/prefix.ts";
import { type ClusterOptions, withCluster } from "./cluster.fixture.ts";
import { checkConnectivity } from "./connectivity.fixture.ts";

const podCidrs = {
  IPv4: "10.244.0.0/16",
  IPv6: "fd00:10:244::/56",
  "IPv4 first": "10.244.0.0/16,fd00:10:244::/56",
  "IPv6 first": "fd00:10:244::/56,10.244.0.0/16",
} as const;

const serviceCidr = "fd00:10:96::/112";

/** The stack in which services have addresses of one family, and pods of both. */
const oneServiceRange = "IPv6 services, dual-stack pods";

type Stack = keyof typeof podCidrs | typeof oneServiceRange;

type Row = readonly [Stack, "bridge" | "ptp", "host-local" | "tandem", "direct" | "vxlan"];

/** The rows of a usual run; together they have every pair of values of the columns with two values. */
const pairwise: readonly Row[] = [
  ["IPv4 first", "bridge", "host-local", "direct"],
  ["IPv6 first", "bridge", "tandem", "vxlan"],
  ["IPv4", "ptp", "tandem", "direct"],
  ["IPv6", "ptp", "host-local", "vxlan"],
  [oneServiceRange, "bridge", "host-local", "direct"],
];

const allStacks: readonly Stack[] = [...(Object.keys(podCidrs) as Stack[]), oneServiceRange];

const product: readonly Row[] = allStacks.flatMap((stack) =>
  (["bridge", "ptp"] as const).flatMap((network) =>
    (["host-local", "tandem"] as const).flatMap((ipam) =>
      (["direct", "vxlan"] as const).map((route): Row => [stack, network, ipam, route]),
    ),
  ),
);

/** Returns the rows with these stacks. */
export function rowsOf(...stacks: readonly Stack[]): readonly Row[] {
  const rows = process.env["TANDEM_SOAK"] === "1" ? product : pairwise;
  return rows.filter(([stack]) => stacks.includes(stack));
}

export async function checkRow([stack, network, ipam, route]: Row): Promise<void> {
  const ranges = stack === oneServiceRange ? { serviceCidr } : { podCidr: podCidrs[stack] };
  const options: ClusterOptions = { nodes: 2, ...ranges, network, ipam, route };
  const pods = stack === oneServiceRange ? podCidrs["IPv6 first"] : podCidrs[stack];
  await withCluster(options, async (cluster) => {
    await checkConnectivity(cluster, familiesOf(pods));
  });
}

function familiesOf(podCidr: string): readonly Family[] {
  return podCidr.split(",").map((text) => Prefix.parse(text).family);
}
