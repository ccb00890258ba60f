import { defineCommand } from "../../base/command-line/command.ts";
import { formatListing, outputOption } from "../../base/program/output.ts";
import {
  clusterView,
  type Infrastructure,
  infrastructures,
  type VipStatus,
  vipStatus,
} from "../../edge/vip/vip.ts";
import { connectToApi } from "../../programs/connect/connect.ts";
import { apiOptions } from "./options.ts";

export const command = defineCommand({
  description:
    "Print the virtual addresses of the cluster: who holds each of them, since when, who could take " +
    "it, and whose check fails.",
  examples: [
    { does: "Print all VIPs", command: "tandem vip status" },
    { does: "Print them for a program to read", command: "tandem vip status --output json" },
  ],
  options: { ...apiOptions, ...outputOption(["table", "wide", "json", "yaml", "name"]) },
  async run({ options, env, stdout, stderr, signal }) {
    const client = await connectToApi(options, { component: "tandem-vip", env });
    const { ingressSelector: labelSelector, clusterName } = options;
    const [infrastructure, nodes, ingressPods] = await Promise.all([
      client.custom<Infrastructure>(infrastructures).get({ name: "cluster" }, { signal }),
      client.resource("v1", "Node").listAll({ signal }),
      client.resource("v1", "Pod").listAll({ labelSelector, signal }),
    ]);
    const view = clusterView({
      infrastructure,
      nodes: nodes.items,
      ingressPods: ingressPods.items,
      clusterName,
    });
    const rows = vipStatus(view, nodes.items);
    const columns = [
      { header: "VIP", value: ({ vip }: VipStatus) => vip },
      { header: "Use", value: ({ use }: VipStatus) => use },
      {
        header: "Holder",
        value: ({ holders }: VipStatus) => names(holders.map(({ node }) => node)),
      },
      { header: "Since", value: ({ holders }: VipStatus) => holders[0]?.since.toISOString() },
      { header: "Failing", value: (row: VipStatus) => names(notWell(row)) },
      { header: "Candidates", value: ({ candidates }: VipStatus) => names(candidates), wide: true },
    ];
    const name = ({ use, vip }: VipStatus) => `${use}/${vip}`;
    stdout.write(await formatListing({ rows, columns, name }, options.output));
    const problems = [
      ...(view.problems ?? []),
      ...rows.flatMap((row) => row.problems.map(({ node, problem }) => `${node}: ${problem}`)),
    ];
    for (const problem of new Set(problems)) stderr.write(`${problem}\n`);
    return rows.every(isWell) && problems.length === 0 ? 0 : 1;
  },
});

/** Returns the nodes whose check fails, or that cannot do what the cluster asks. */
function notWell({ failing, problems }: VipStatus): string[] {
  return [...new Set([...failing, ...problems.map(({ node }) => node)])];
}

function isWell({ holders }: VipStatus): boolean {
  return holders.length === 1;
}

function names(list: readonly string[]): string {
  return list.join(", ");
}
