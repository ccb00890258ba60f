// Every command of `tandem`. To add one: write its file (version.ts is a small example; it exports
// `command = defineCommand({...})`), and add a line to the list of its heading: cluster-commands.ts,
// program-commands.ts, or the one below. `commands: [...]` in place of `load` makes a group.

import type { CommandEntry, Program } from "../base/command-line/command.ts";
import { clusterCommands } from "./cluster-commands.ts";
import { programs } from "./program-commands.ts";

const otherCommands: readonly CommandEntry[] = [
  {
    name: "completion",
    summary: "Print the completion script for a shell",
    load: () => import("./completion.ts"),
  },
  {
    name: "help",
    summary: "Print help about a command",
    load: () => import("./help.ts"),
  },
  {
    name: "version",
    summary: "Print the version of Tandem",
    load: () => import("./version.ts"),
  },
];

const hiddenCommands: readonly CommandEntry[] = [
  {
    name: "docs",
    summary: "Print the reference of all commands as Markdown",
    hidden: true,
    load: () => import("./docs.ts"),
  },
  {
    name: "__supervise",
    summary: "Run a cluster inside of its namespaces",
    hidden: true,
    load: () => import("./supervise.ts"),
  },
  {
    name: "__complete",
    summary: "Print what a shell may offer next",
    hidden: true,
    load: () => import("./complete.ts"),
  },
];

export const tandem: Program = {
  name: "tandem",
  description:
    "Tandem runs pods and services with IPv4 and IPv6 side by side, on a Kubernetes-compatible API.",
  commands: [
    ...clusterCommands.map((entry) => ({ ...entry, heading: "Cluster Commands" as const })),
    ...programs.map((entry) => ({ ...entry, heading: "Programs" as const })),
    ...otherCommands.map((entry) => ({ ...entry, heading: "Other Commands" as const })),
    ...hiddenCommands,
  ],
};
