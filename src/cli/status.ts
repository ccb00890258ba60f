import { defineCommand } from "../base/command-line/command.ts";
import { formatDocument, outputOption } from "../base/program/output.ts";
import { formatTable } from "../base/program/table.ts";
import type { ClusterStatus, NodeStatus, ProgramStatus } from "../programs/up/up.ts";
import { nameOption } from "./cluster-name.ts";

export const command = defineCommand({
  description:
    "Print how the cluster on this machine is: its programs, their memory, and its nodes. Ends with " +
    "1 when something of it does not run.",
  examples: [
    { does: "Print how the cluster is", command: "tandem status" },
    { does: "Print it for a program to read", command: "tandem status --output json" },
  ],
  options: { ...nameOption, ...outputOption(["text", "json", "yaml"]) },
  async run({ options, env, stdout, signal }) {
    const { readStatus } = await import("../programs/up/up.ts");
    const status = await readStatus(options.name, env, signal);
    const { output } = options;
    stdout.write(output === "text" ? textOf(status) : await formatDocument(status, output));
    const { programs, nodes } = status;
    const isWell = programs.every(({ isRunning }) => isRunning) && nodes.every((n) => n.isReady);
    return isWell ? 0 : 1;
  },
});

function textOf({
  name,
  api,
  kubeconfig,
  dataDir,
  programs,
  nodes,
  ingress,
  others,
}: ClusterStatus): string {
  const facts = [
    ["Cluster", name],
    ["API", api],
    ["Kubeconfig", kubeconfig],
    ["Data", dataDir],
    ...(ingress === undefined ? [] : [["Ingress", ingress.join(", ") || "no address yet"]]),
    ["In pods", `${others.processes} processes, ${megabytes(others.memoryBytes)}`],
  ];
  const head = facts.map(([key = "", value]) => `${`${key}:`.padEnd(12)}${value}`);
  const tables = [formatTable(programColumns, programs), formatTable(nodeColumns, nodes)];
  return [`${head.join("\n")}\n`, ...tables].join("\n");
}

const programColumns = [
  { header: "Program", value: ({ name }: ProgramStatus) => name },
  {
    header: "Status",
    value: ({ isRunning }: ProgramStatus) => (isRunning ? "Running" : "Waiting"),
  },
  { header: "PID", value: ({ pid }: ProgramStatus) => pid },
  { header: "Restarts", value: ({ restarts }: ProgramStatus) => restarts },
  { header: "Memory", value: ({ memoryBytes }: ProgramStatus) => megabytes(memoryBytes) },
];

const nodeColumns = [
  { header: "Node", value: ({ name }: NodeStatus) => name },
  { header: "Status", value: ({ isReady }: NodeStatus) => (isReady ? "Ready" : "NotReady") },
  { header: "Addresses", value: ({ addresses }: NodeStatus) => addresses.join(",") },
  { header: "Pod CIDRs", value: ({ podCidrs }: NodeStatus) => podCidrs.join(",") },
];

function megabytes(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : `${Math.round(bytes / 1024 / 1024)} MB`;
}
