// What becomes of real packets, in the words of the plan's scenarios.

import type { Family } from "../../../src/base/net/family.ts";
import type { Protocol } from "../../../src/node/proxy/plan/frontend.ts";
import { addressOf, type Party } from "../../../src/node/proxy/plan/testing/scenario.ts";
import type { Cell } from "../../../src/node/proxy/plan/testing/scenarios/scenarios.ts";
import { type Lab, patience } from "./lab.ts";
import type { Errand, Findings } from "./party.ts";

export interface Observation extends Cell {
  readonly family: Family;
  /** One of the expected endpoints is enough. */
  readonly isSticky: boolean;
}

/** Makes connections until every expected endpoint has answered, or it is certain that one does not. */
export async function observe(lab: Lab, cell: Observation): Promise<readonly string[]> {
  const { from, to, expected, family, isSticky } = cell;
  const source = addressOf(from, family).toString();
  const isAnswered = !["drop", "reject", "pass"].includes(expected);
  // Raw sockets are not told of a refusal.
  const isHeard = isAnswered || (expected === "reject" && !to.endsWith("/sctp"));
  const names = expectedNames(cell);
  const seen = new Set<string>();
  for (let made = 0; made < mostConnections; made += connectionsPerRound) {
    const findings = await lab.ask(from, {
      ...errandOf(cell),
      ...(sharesNamespace.has(from) && { source }),
      count: isAnswered ? connectionsPerRound : 3,
      timeoutMs: (isHeard ? 30_000 : 250) * patience,
    });
    for (const outcome of outcomes(findings, { from, source })) seen.add(outcome);
    if (!isAnswered || isSticky || [...seen].some((name) => !names.includes(name))) break;
    if (names.every((name) => seen.has(name))) break;
  }
  return [...seen].toSorted();
}

/** Whether what was seen is what was to be expected. */
export function agrees(seen: readonly string[], cell: Observation): boolean {
  const { from, to, expected, isSticky } = cell;
  if (expected === "pass") {
    // Nobody answers but who has the address.
    const servers = seen.filter((name) => /^[a-d]\b/.test(name));
    return servers.every((name) => to.startsWith(`${name}:`));
  }
  // The node's own datagrams fail alike when they are dropped, and sometimes when they are refused.
  if (isNode(from) && /\/(udp|sctp)$/.test(to) && ["drop", "reject"].includes(expected)) {
    return seen.join(" ") === "EPERM" || seen.join(" ") === expected;
  }
  if (to.endsWith("/sctp") && expected === "reject") return seen.join(" ") === "drop";
  const names = expectedNames(cell);
  if (isSticky) return seen.length === 1 && seen.every((name) => names.includes(name));
  return seen.join(" ") === names.join(" ");
}

const connectionsPerRound = patience === 1 ? 12 : 4;
/** To miss one endpoint of three by chance in so many is less likely than 10⁻⁹. */
const mostConnections = 60;

/** They must say which address is meant. */
const sharesNamespace: ReadonlySet<Party> = new Set(["client", "stranger", "lb", "lb2"]);

function isNode(party: Party): boolean {
  return ["node", "lb", "lb2"].includes(party);
}

/** What comes from the node comes from one of its addresses, masqueraded or not. */
function expectedNames({ from, expected }: Cell): readonly string[] {
  const names = expected.split(" ");
  return isNode(from) ? names.map((name) => name.replace("*", "")) : names;
}

function errandOf({ to, family }: Observation): Omit<Errand, "count" | "timeoutMs"> {
  const [, party = "", port = "", protocol = "tcp"] = /^(\w+):(\d+)(?:\/(\w+))?$/.exec(to) ?? [];
  return {
    protocol: protocol as Protocol,
    address: addressOf(party as Party, family).toString(),
    port: Number(port),
  };
}

function outcomes(
  findings: Findings,
  { from, source }: { from: Party; source: string },
): readonly string[] {
  return findings.map((finding) => {
    const [, name, port, client] = /^([a-d]):(\d+) (.+)$/.exec(finding) ?? [];
    if (name === undefined) return words[finding] ?? finding;
    const star = isNode(from) || client === source ? "" : "*";
    return `${name}${port === "8080" ? "" : `:${port}`}${star}`;
  });
}

const words: Readonly<Record<string, string>> = { ECONNREFUSED: "reject", ETIMEDOUT: "drop" };
