// Which service a packet was taken for, by the names that the proxy's tables have for their elements.

import type { CallOptions, Commands } from "../../host/command.ts";
import { isNotFound } from "../../host/error.ts";
import type { Protocol } from "../plan/frontend.ts";
import type { Visit } from "./visits.ts";

interface Options extends CallOptions {
  /** Run in the visit's place. */
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
  try {
    const { stdout } = await commands.run(command, { signal });
    return /comment "([^"]*)"/.exec(stdout)?.[1];
  } catch (error) {
    // It may be gone since.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const ownTable = /^ip6? tandem-(?:proxy|ipvs)/;
const lookup = /vmap @(services|node-ports)$/;
