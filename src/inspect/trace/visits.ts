// Visits of a probe: the trace lines of each namespace, put together.

import { isTraceTable, ownChains } from "./marks.ts";
import type { Header, TraceLine } from "./trace-line.ts";

/** A rule that the packet met, or the policy of a chain whose rules have all let it pass. */
export interface Step {
  readonly table: string;
  readonly chain: string;
  /** The rule in nft's words; `undefined` for a chain policy. */
  readonly rule: string | undefined;
  readonly verdict: string;
}

export interface Translation {
  readonly part: "source" | "destination";
  readonly before: string;
  readonly after: string;
  /** The rule that translated; `undefined` if it cannot be seen, since it is not one of nf_tables. */
  readonly by: Step | undefined;
}

/** A packet's stay in one namespace. */
export interface Visit {
  readonly place: string;
  readonly direction: "forth" | "back";
  readonly began: "sent" | "received";
  /** How the visit ended; "lost" if the packet neither left nor was taken in. */
  readonly ended: "left" | "taken-in" | "lost";
  /** The packet's header as it came, and as it left. */
  readonly first: Header;
  readonly last: Header;
  readonly steps: readonly Step[];
  readonly translations: readonly Translation[];
}

export interface Hearing {
  readonly place: string;
  readonly lines: readonly TraceLine[];
}

/** Returns the visits in the order of the way, forth and back. */
export function visitsOf(hearings: readonly Hearing[], ownTable: string): readonly Visit[] {
  const visits = hearings.flatMap((hearing) => visitsIn(hearing, `inet ${ownTable}`));
  return (["forth", "back"] as const).flatMap((way) =>
    inOrder(visits.filter(({ direction }) => direction === way)),
  );
}

/** Orders visits by following the packet from each sender to its receiver. */
function inOrder(visits: readonly Visit[]): readonly Visit[] {
  const left = visits.toSorted(comesBefore);
  const ordered: Visit[] = [];
  while (left.length > 0) {
    const before = ordered.at(-1)?.last;
    const next = left.findIndex(({ first }) => before !== undefined && isSame(before, first));
    ordered.push(...left.splice(Math.max(next, 0), 1));
  }
  return ordered;
}

/** Compares visits: each router takes a hop off, a bridge does not, and the final receiver comes last. */
function comesBefore(one: Visit, other: Visit): number {
  const rank = ({ began, ended }: Visit): number => {
    if (began === "sent") return 0;
    return ended === "left" ? 1 : 2;
  };
  return (
    other.first.hopsLeft - one.first.hopsLeft ||
    other.last.hopsLeft - one.last.hopsLeft ||
    rank(one) - rank(other)
  );
}

function isSame(one: Header, other: Header): boolean {
  return headerText(one) === headerText(other) && one.hopsLeft === other.hopsLeft;
}

/** Formats a header: `10.0.0.1:4000 → 10.96.0.1:80`. */
export function headerText({ source, sourcePort, destination, destinationPort }: Header): string {
  return `${placeText(source, sourcePort)} → ${placeText(destination, destinationPort)}`;
}

function visitsIn({ place, lines }: Hearing, ownTable: string): readonly Visit[] {
  const packets = [...Map.groupBy(lines, ({ id }) => id).values()];
  const visits: Visit[] = [];
  for (const packet of wholePackets(packets, ownTable)) {
    const visit = readVisit(packet, { place, ownTable });
    if (visit === undefined || visits.some((known) => isRepeated(visit, known))) continue;
    const sent = visits.findLastIndex((known) => isContinued(visit, known));
    const before = visits[sent];
    if (before === undefined) visits.push(visit);
    else visits[sent] = joined(before, visit);
  }
  return visits;
}

/**
 * Joins the lines of one packet that have several ids. The kernel derives a packet's id from its input
 * device, among others: one that passes a bridge with netfilter has the id of its port first, then that of
 * the bridge itself.
 */
function wholePackets(
  packets: readonly (readonly TraceLine[])[],
  ownTable: string,
): readonly (readonly TraceLine[])[] {
  const whole: TraceLine[][] = [];
  for (const packet of packets) {
    const isBegun = isMet(packet, ownTable, beginnings);
    const before = isBegun ? undefined : whole.findLast((one) => goesOn(one, packet, ownTable));
    if (before === undefined) whole.push([...packet]);
    else before.push(...packet);
  }
  return whole;
}

const beginnings: readonly string[] = [
  ownChains.sent,
  ownChains.received,
  ownChains.answerSent,
  ownChains.answerReceived,
];
const ends: readonly string[] = [ownChains.takenIn, ownChains.left];

/**
 * Whether one visit continues in another. An address may have been translated in between, and others may trace
 * packets of theirs at the same time.
 */
function goesOn(
  before: readonly TraceLine[],
  after: readonly TraceLine[],
  ownTable: string,
): boolean {
  const [from, to] = [before.findLast(isPacket)?.header, after.find(isPacket)?.header];
  if (from === undefined || to === undefined) return false;
  if (!isMet(before, ownTable, beginnings) || isMet(before, ownTable, ends)) return false;
  // What is sent from here came in nowhere, and keeps its id.
  if (from.inDevice === undefined || from.inDevice !== to.inDevice) return false;
  const hops = from.hopsLeft - to.hopsLeft;
  const isNear = hops === 0 || hops === 1;
  const isSameFamily = from.source.includes(":") === to.source.includes(":");
  return isNear && isSameFamily && (hasEndOf(from, to) || isAnswer(before, ownTable));
}

/** Only answers have both of their ends translated at once. */
function hasEndOf(from: Header, to: Header): boolean {
  const { source, sourcePort, destination, destinationPort } = to;
  return (
    (from.source === source && from.sourcePort === sourcePort) ||
    (from.destination === destination && from.destinationPort === destinationPort)
  );
}

function isAnswer(lines: readonly TraceLine[], ownTable: string): boolean {
  return !lines.some(
    ({ table, chain, kind }) =>
      table === ownTable &&
      kind === "rule" &&
      (chain === ownChains.sent || chain === ownChains.received),
  );
}

function isPacket(line: TraceLine): line is TraceLine & { readonly kind: "packet" } {
  return line.kind === "packet";
}

function isMet(lines: readonly TraceLine[], table: string, chains: readonly string[]): boolean {
  return lines.some((line) => line.table === table && chains.includes(line.chain));
}

/**
 * Whether the visit repeats a known one: a retransmission tells nothing new, and the first answer is enough.
 */
function isRepeated(visit: Visit, known: Visit): boolean {
  if (visit.direction !== known.direction) return false;
  if (visit.began !== known.began && visit.first.inDevice !== "lo") return false;
  if (visit.direction === "back") return visit.began === known.began;
  return (
    visit.began === known.began &&
    visit.first.hopsLeft === known.first.hopsLeft &&
    visit.first.inDevice === known.first.inDevice
  );
}

/**
 * Whether the visit continues a known one: a machine that sends to itself receives over the loopback device.
 */
function isContinued(visit: Visit, known: Visit): boolean {
  const isFromItself = visit.began === "received" && visit.first.inDevice === "lo";
  return isFromItself && visit.direction === known.direction && known.last.outDevice === "lo";
}

function joined(sent: Visit, received: Visit): Visit {
  return {
    ...sent,
    ended: received.ended,
    last: received.last,
    steps: [...sent.steps, ...received.steps],
    translations: [...sent.translations, ...received.translations],
  };
}

interface Surroundings {
  readonly place: string;
  readonly ownTable: string;
}

function readVisit(
  lines: readonly TraceLine[],
  { place, ownTable }: Surroundings,
): Visit | undefined {
  const met = (chain: string, kind?: TraceLine["kind"]): boolean =>
    lines.some(
      (line) =>
        line.table === ownTable && line.chain === chain && (kind ?? line.kind) === line.kind,
    );
  const headers = lines.flatMap((line) => (line.kind === "packet" ? [line.header] : []));
  const [first] = headers;
  const last = headers.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const { sent, received, answerSent, answerReceived, takenIn, left } = ownChains;
  const isForth = met(sent, "rule") || met(received, "rule");
  // Packets of other traces appear in the monitor too.
  if (!isForth && !met(answerSent, "rule") && !met(answerReceived, "rule")) return undefined;
  return {
    place,
    direction: isForth ? "forth" : "back",
    began: met(sent) || met(answerSent) ? "sent" : "received",
    ended: met(takenIn) ? "taken-in" : met(left) ? "left" : "lost",
    first,
    last,
    steps: lines.flatMap(stepOf),
    translations: translationsOf(lines),
  };
}

function stepOf(line: TraceLine): readonly Step[] {
  if (line.kind === "packet" || isTraceTable(line.table)) return [];
  const { table, chain, verdict } = line;
  return [{ table, chain, rule: line.kind === "rule" ? line.rule : undefined, verdict }];
}

const parts = [
  { part: "destination", port: "destinationPort", rule: /\b(?:dnat|redirect)\b/i },
  { part: "source", port: "sourcePort", rule: /\b(?:snat|masquerade)\b/i },
] as const;

function translationsOf(lines: readonly TraceLine[]): readonly Translation[] {
  const found: Translation[] = [];
  const steps: Step[] = [];
  let header: Header | undefined;
  for (const line of lines) {
    steps.push(...stepOf(line));
    if (line.kind !== "packet") continue;
    for (const { part, port, rule } of parts) {
      const [before, after] = [header ?? line.header, line.header].map((one) =>
        placeText(one[part], one[port]),
      );
      if (before === undefined || after === undefined || before === after) continue;
      const by = steps.findLast((step) => rule.test(step.rule ?? ""));
      found.push({ part, before, after, by });
    }
    header = line.header;
  }
  return found;
}

export function placeText(address: string, port: number | undefined): string {
  if (port === undefined) return address;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
