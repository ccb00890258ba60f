// Finds the service that a packet was translated for, by the names on elements of the proxy's tables.

import type { CallOptions, Commands } from "../../base/host/command.ts";
import { CommandError, isNotFound } from "../../base/host/error.ts";
import type { Protocol } from "../../node/proxy/proxy.ts";
import type { Visit } from "./visits.ts";

interface Options extends CallOptions {
  /** Runs commands in the visit's place. */
  readonly commands: Commands;
  readonly protocol: Protocol;
}

export async function serviceName(
  { steps, first }: Visit,
  { commands, protocol, signal }: Options,
): Promise<string | undefined> {
  const step = steps.findLast(
    ({ table, rule = "", verdict }) =>
      ownTable.test(table) && lookup.test(rule) && verdict !== "continue",
  );
  const [, map] = lookup.exec(step?.rule ?? "") ?? [];
  if (step === undefined || map === undefined) return undefined;
  const place = map === "services" ? `${first.destination} . ` : "";
  const key = `{ ${place}${protocol} . ${first.destinationPort} }`;
  const command = ["nft", "get", "element", ...step.table.split(" "), map, key];
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    try {
      const { stdout } = await commands.run(command, { signal });
      return /comment "([^"]*)"/.exec(stdout)?.[1];
    } catch (error) {
      // The table may be gone by now, or rules were changed while they were read.
      if (isNotFound(error)) return undefined;
      if (!(error instanceof CommandError) || !error.stderr.includes(interrupted)) throw error;
    }
  }
  return undefined;
}

const mostAttempts = 10;
const interrupted = "Interrupted system call";
const ownTable = /^ip6? tandem-(?:proxy|ipvs)/;
const lookup = /vmap @(services|node-ports)$/;
