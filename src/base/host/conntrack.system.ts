import type { Commands } from "./command.ts";
import type { Conntrack, FlowSelector } from "./conntrack.ts";
import { CommandError, HostError } from "./error.ts";

export function systemConntrack(commands: Commands): Conntrack {
  return {
    async deleteFlows(selectors, { signal } = {}) {
      if (selectors.length === 0) return 0;
      const stdin = selectors.map((selector) => `${deletion(selector)}\n`).join("");
      for (let deleted = 0, attempt = 1; ; attempt++) {
        try {
          const { stdout } = await commands.run(loadStandardInput, { stdin, signal });
          return deleted + countFlows(stdout);
        } catch (error) {
          if (attempt === mostAttempts || !isEndedMeanwhile(error)) throw error;
          deleted += countFlows(error.stdout);
        }
      }
    },
  };
}

/** The number of attempts; each one gets further than the one before. */
const mostAttempts = 100;

/**
 * Whether a flow ended during the deletion: conntrack reads all flows before it deletes any, and stops at the
 * first that is gone.
 */
function isEndedMeanwhile(error: unknown): error is CommandError {
  return error instanceof CommandError && error.stderr.includes("such conntrack doesn't exist");
}

/** Counts the deleted flows, which conntrack prints one a line; none is no error in this form. */
function countFlows(stdout: string): number {
  return stdout.split("\n").filter((line) => line !== "").length;
}

/** The command reads a pipe, since conntrack reopens its standard input, which Node's socket forbids. */
const loadStandardInput = ["sh", "-c", "cat | conntrack --load-file -"];

function deletion(selector: FlowSelector): string {
  const { family, protocol, source, sourcePort, destination, port, replySource } = selector;
  for (const address of [source, destination, replySource]) {
    if (address !== undefined && address.family !== family) {
      const message = `Cannot delete ${family} flows: ${address.toString()} is ${address.family}`;
      throw new HostError(message, { reason: "invalid" });
    }
  }
  return [
    `-D -f ${family.toLowerCase()} -p ${protocol}`,
    ...(source === undefined ? [] : [`--orig-src ${source.toString()}`]),
    ...(sourcePort === undefined ? [] : [`--orig-port-src ${sourcePort}`]),
    ...(destination === undefined ? [] : [`--orig-dst ${destination.toString()}`]),
    ...(port === undefined ? [] : [`--orig-port-dst ${port}`]),
    ...(replySource === undefined ? [] : [`--reply-src ${replySource.toString()}`]),
  ].join(" ");
}
