// A small command line for the tests of this folder.

import { boolean, integer, oneOf, repeated, text } from "../../program/option-types.ts";
import { StopRequested } from "../../program/signals.ts";
import { type CommandEntry, defineCommand, type Program } from "../command.ts";
import { runCommandLine } from "../run-command-line.ts";

export const demo: Program = {
  name: "demo",
  description: "Demonstrates.",
  commands: [
    { name: "scale", summary: "Change copies", load: async () => ({ command: scale }) },
    {
      name: "pod",
      summary: "Work with pods",
      commands: [
        { name: "exec", summary: "Run in a pod", load: async () => ({ command: execute }) },
      ],
    },
    failing(
      "fail",
      Object.assign(new Error("Cannot work", { cause: new Error("no power") }), {
        hint: "Plug it in.",
      }),
    ),
    failing("stopped", new StopRequested("SIGINT")),
  ],
};

/** Runs the demo as a process would, and returns what it printed. */
export async function runDemo(
  argv: string[],
  given: { env?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const { env = {}, signal = new AbortController().signal } = given;
  let out = "";
  let err = "";
  const stdout = { write: (chunk: string) => (out += chunk), columns: 80 };
  const stderr = { write: (chunk: string) => (err += chunk) };
  const code = await runCommandLine(demo, { argv, env, signal, stdout, stderr });
  return { code, out, err };
}

const scale = defineCommand({
  description: "Change the number of copies of a workload.",
  examples: [{ does: "Run three copies", command: "demo scale web --copies 3" }],
  options: {
    copies: { type: integer({ min: 0 }), required: true, help: "How many." },
    wait: { type: boolean(), default: true, help: "Wait for them." },
    mode: { type: oneOf(["fast", "safe"]), default: "safe", short: "m", help: "How." },
  },
  args: {
    name: { type: text("NAME"), required: true, help: "The workload." },
    others: { type: repeated(text("OTHER")), help: "More of them." },
  },
  async run({ options, args, rest, stdout, log }) {
    const { copies, wait, mode } = options;
    log.debug("scaling");
    stdout.write(JSON.stringify({ copies, wait, mode, ...args, rest }));
    return copies === 7 ? 3 : 0;
  },
});

const execute = defineCommand({
  description: "Run a command in a pod.",
  examples: [],
  rest: "COMMAND [ARG...]",
  async run({ rest, stdout }) {
    stdout.write(rest.join(" "));
  },
});

function failing(name: string, error: Error): CommandEntry {
  const command = defineCommand({
    description: "",
    examples: [],
    run: () => Promise.reject(error),
  });
  return { name, summary: "Fails", hidden: true, load: async () => ({ command }) };
}
