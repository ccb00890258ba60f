// Marks probes, so that they are told from all other packets in every namespace and after any translation: by
// a DSCP value out of those for local use. A packet's mark does not leave its namespace, and ports and
// addresses are translated, but the DSCP field stays.

import type { Clock } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import type { Family } from "../../base/net/family.ts";
import type { Protocol } from "../../node/proxy/proxy.ts";

export interface ProbeMark {
  readonly family: Family;
  readonly protocol: Protocol;
  /** The DSCP value, 0 to 63. */
  readonly codePoint: number;
  /** The source port of packets that are sent without a socket. */
  readonly rawPort: number;
  /** The name of the table `inet …` that traces the probe. */
  readonly table: string;
}

/** The chains that see a probe first and last in each hook, before and after all others. */
export const ownChains = {
  sent: "first-output",
  received: "first-prerouting",
  answerSent: "answer-output",
  answerReceived: "answer-prerouting",
  takenIn: "last-input",
  left: "last-postrouting",
} as const;

/** The life of a table in seconds: after it, its rules do nothing, even if the trace was killed. */
const lifeSeconds = 60;
const tablePrefix = "tandem-trace-";

export function drawMark(
  { family, protocol }: Pick<ProbeMark, "family" | "protocol">,
  { random, clock }: { readonly random: Random; readonly clock: Clock },
): ProbeMark {
  const draw = (count: number): number => Math.floor(random.fraction() * count);
  return {
    family,
    protocol,
    // DSCP values for experiments and local use are all that end in binary 11.
    codePoint: draw(16) * 4 + 3,
    rawPort: 32_768 + draw(28_000),
    table: `${tablePrefix}${Math.floor(clock.now() / 1000)}-${draw(1_000_000)}`,
  };
}

/** Whether the table is left over from an ended or killed trace. */
export function isStale(table: string, clock: Clock): boolean {
  const [, since] = /^tandem-trace-(\d+)-/.exec(table) ?? [];
  return since !== undefined && clock.now() / 1000 > Number(since) + lifeSeconds;
}

/** Whether the table belongs to any trace, also to another one that runs at the same time. */
export function isTraceTable(table: string): boolean {
  return table.startsWith(`inet ${tablePrefix}`);
}

/**
 * Returns the commands that create the table. Answers are recognised by the connection that the probe began.
 */
export function tableCommands(mark: ProbeMark): readonly string[] {
  const { protocol, codePoint, table, family } = mark;
  const name = `inet ${table}`;
  const chain = (own: keyof typeof ownChains, hook: string, priority: number): string =>
    `add chain ${name} ${ownChains[own]} { type filter hook ${hook} priority ${priority} ; }`;
  const rule = (own: keyof typeof ownChains, body: string): string =>
    `add rule ${name} ${ownChains[own]} ${body}`;
  const opening = protocol === "tcp" ? " tcp flags & (fin | syn | rst | ack) == syn" : "";
  const ip = family === "IPv4" ? "ip" : "ip6";
  const isProbe = `${ip} dscp ${codePoint} meta l4proto @alive${opening}`;
  return [
    `add table ${name}`,
    `add set ${name} alive { type inet_proto ; flags timeout ; }`,
    `add element ${name} alive { ${protocol} timeout ${lifeSeconds}s }`,
    `add set ${name} connections { typeof ct id ; size 64 ; flags dynamic ; }`,
    chain("sent", "output", beforeOthers),
    chain("received", "prerouting", beforeOthers),
    chain("answerSent", "output", afterConnections),
    chain("answerReceived", "prerouting", afterConnections),
    chain("takenIn", "input", afterOthers),
    chain("left", "postrouting", afterOthers),
    ...(["sent", "received"] as const).map((own) => rule(own, `${isProbe} meta nftrace set 1`)),
    ...(["answerSent", "answerReceived"] as const).flatMap((own) => [
      rule(own, `${isProbe} add @connections { ct id }`),
      rule(own, "ct direction reply ct id @connections meta nftrace set 1"),
    ]),
  ];
}

const beforeOthers = -400;
/** The kernel looks up connections at priority -200. */
const afterConnections = -199;
const afterOthers = 2_147_483_000;
