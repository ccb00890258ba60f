import { setTimeout as sleep } from "node:timers/promises";
import { defineCommand } from "../base/command-line/command.ts";
import { boolean, duration, text } from "../base/program/option-types.ts";
import { formatDocument, outputOption } from "../base/program/output.ts";
import { formatTable } from "../base/program/table.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";
import type { Top } from "../programs/dashboard/dashboard.ts";

export const command = defineCommand({
  description:
    "Show how many addresses of each range are used, which node announces which address, and how many " +
    "connections each service has in each family, and how many bytes they carry; again and again on a " +
    "terminal, else once.\n\n" +
    "Connections are read from the kernels of the nodes of a cluster of 'tandem up' on this machine.",
  examples: [
    { does: "Watch the cluster on this machine", command: "tandem top" },
    { does: "Print it once, for a program to read", command: "tandem top --output json" },
    {
      does: "Let the kernels of its nodes count bytes from now on",
      command: "tandem top --count-bytes",
    },
  ],
  options: {
    ...kubeconfigOptions,
    namespace: {
      type: text("NAME"),
      short: "n",
      env: false,
      help: "The only namespace to show, for users who may not read all of them.",
    },
    interval: {
      type: duration(),
      default: "2s",
      env: false,
      help: "How long to wait before it is shown again.",
    },
    countBytes: {
      type: boolean(),
      default: false,
      env: false,
      help: "Switch on in the kernels of nodes that bytes of connections are counted; it stays on.",
    },
    ...outputOption(["table", "json", "yaml"]),
  },
  async run({ options, env, stdout, stderr, signal }) {
    const { runTop, sizeText } = await import("../programs/dashboard/dashboard.ts");
    const { output, interval } = options;
    const isWatched = output === "table" && stdout.isTTY === true;
    await runTop(options, { env, signal }, async (top) => {
      if (output !== "table") {
        stdout.write(await formatDocument(top, output));
        return false;
      }
      stdout.write(`${isWatched ? clearScreen : ""}${textOf(top, sizeText)}`);
      for (const note of top.notes) stderr.write(`${note}\n`);
      if (!isWatched) return false;
      await sleep(interval, undefined, { signal }).catch(() => undefined);
      return !signal.aborted;
    });
  },
});

const clearScreen = "\x1b[H\x1b[J";

function textOf({ ranges, services, announced }: Top, sizeText: (size: bigint) => string): string {
  const sized = ranges.map(({ kind, size, ...range }) => {
    const all = sizeText(BigInt(size));
    return { ...range, kind, size: kind === "slices" ? `${all} slices` : all };
  });
  const tables = [formatTable(rangeColumns, sized), formatTable(serviceColumns, services)];
  if (announced.length > 0) tables.push(formatTable(announcedColumns, announced));
  return tables.join("\n");
}

type Range = Top["ranges"][number];
type Service = Top["services"][number];
type Announced = Top["announced"][number];

const rangeColumns = [
  { header: "Range of", value: ({ kind, owner }: Range) => `${kind} ${owner}` },
  { header: "Family", value: ({ family }: Range) => family },
  { header: "Addresses", value: ({ text: range }: Range) => range },
  { header: "Used", value: ({ used }: Range) => used ?? "-" },
  { header: "Of", value: ({ size }: Range) => size },
];

const serviceColumns = [
  { header: "Service", value: ({ service }: Service) => service },
  { header: "Family", value: ({ family }: Service) => family },
  { header: "Endpoints", value: ({ readyEndpoints }: Service) => readyEndpoints },
  { header: "Connections", value: ({ connections }: Service) => connections ?? "-" },
  { header: "Bytes", value: ({ bytes }: Service) => bytes ?? "-" },
];

const announcedColumns = [
  { header: "Announced for", value: ({ use }: Announced) => use },
  { header: "Address", value: ({ address }: Announced) => address },
  { header: "Node", value: ({ node }: Announced) => node ?? "-" },
  { header: "Since", value: ({ since }: Announced) => since ?? "-" },
];
