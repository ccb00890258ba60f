// Judges what became of a probe, from all trace lines.

import type { ProbeResult } from "./probe.ts";
import { placeText, type Step, type Visit } from "./visits.ts";

type VerdictKind =
  | "delivered"
  | "unanswered"
  | "no-listener"
  | "rejected"
  | "dropped"
  | "no-route"
  | "no-neighbour"
  | "lost";

export interface Verdict {
  readonly kind: VerdictKind;
  /** A sentence without its full stop. */
  readonly text: string;
  /** The place where it was decided, if on this machine. */
  readonly place: string | undefined;
  /** The rule that decided, if one did. */
  readonly step: Step | undefined;
}

/** A place where the kernel itself could not forward the packet. */
export interface DeadEnd {
  readonly kind: "no-route" | "no-neighbour";
  readonly place: string;
  readonly reason: string;
}

export interface Evidence {
  readonly probe: ProbeResult;
  readonly visits: readonly Visit[];
  readonly deadEnd: DeadEnd | undefined;
  /** The refusing rules of legacy iptables that have counted packets during the trace. */
  readonly suspects: readonly string[];
}

export function verdictOf(evidence: Evidence): Verdict {
  const forth = evidence.visits.filter(({ direction }) => direction === "forth");
  const back = evidence.visits.filter(({ direction }) => direction === "back");
  const { probe } = evidence;
  const last = forth.at(-1);
  if (probe.outcome === "answered") return delivered(last);
  const block = findBlock(forth);
  if (block !== undefined) return blocked(block, probe);
  if (probe.outcome === "refused" && last?.ended === "taken-in") {
    const where = placeText(last.last.destination, last.last.destinationPort);
    return decided("no-listener", last, `nobody listens at ${where} in ${last.place}`);
  }
  if (evidence.deadEnd !== undefined) return ended(evidence.deadEnd, probe);
  const isHeard = probe.outcome !== "silent";
  const [suspect] = evidence.suspects;
  if (suspect !== undefined) {
    const kind = isHeard ? "rejected" : "dropped";
    return decided(kind, last, `${kind}, most likely by a rule of legacy iptables: ${suspect}`);
  }
  const blockBack = findBlock(back);
  if (blockBack !== undefined) {
    const { visit, step } = blockBack;
    const text = `the probe arrived, but the answer was dropped in ${visit.place} by ${stepText(step)}`;
    return { kind: "dropped", text, place: visit.place, step };
  }
  if (isHeard) {
    const who = "by somebody whose rules cannot be seen from here";
    return decided("rejected", last, `refused ${who}: ${probe.detail ?? "no reason given"}`);
  }
  if (last?.ended === "taken-in") {
    return decided("unanswered", last, `arrived in ${last.place}, where nobody answered`);
  }
  return lost(last);
}

/** Whether a rule or a chain policy ends the way of a packet. */
export function isBlocking({ verdict }: Step): boolean {
  return verdict === "drop";
}

/** Whether a rule that ends the way of a packet tells the sender; nft calls that a drop as well. */
export function isRejecting({ rule = "" }: Step): boolean {
  return /\breject\b/i.test(rule);
}

export function stepText({ table, chain, rule, verdict }: Step): string {
  const where = `table ${table}, chain ${chain}`;
  return rule === undefined
    ? `the policy "${verdict}" of ${where}`
    : `the rule "${rule}" of ${where}`;
}

interface Block {
  readonly visit: Visit;
  readonly step: Step;
}

function findBlock(visits: readonly Visit[]): Block | undefined {
  for (const visit of visits) {
    const step = visit.steps.find(isBlocking);
    if (step !== undefined) return { visit, step };
  }
  return undefined;
}

function blocked({ visit, step }: Block, { outcome }: ProbeResult): Verdict {
  const kind = isRejecting(step) && outcome !== "silent" ? "rejected" : "dropped";
  const isUntold = isRejecting(step) && kind === "dropped";
  const untold = isUntold ? ", of which the sender learns nothing" : "";
  const text = `${kind} in ${visit.place} by ${stepText(step)}${untold}`;
  return { kind, text, place: visit.place, step };
}

/** Returns the verdict of a dead end: a packet whose sender is told nothing counts as dropped. */
function ended({ kind, place, reason }: DeadEnd, { outcome }: ProbeResult): Verdict {
  const isDropped = kind === "no-route" && outcome === "silent";
  const told = isDropped ? "dropped" : kind;
  return { kind: told, text: `${told} in ${place}: ${reason}`, place, step: undefined };
}

function delivered(last: Visit | undefined): Verdict {
  if (last?.ended !== "taken-in") return decided("delivered", undefined, "delivered and answered");
  const to = placeText(last.last.destination, last.last.destinationPort);
  return decided("delivered", last, `delivered to ${to} in ${last.place}, which answered`);
}

function lost(last: Visit | undefined): Verdict {
  if (last === undefined) return decided("lost", undefined, "it was never seen on its way out");
  const { outDevice } = last.last;
  const text =
    last.ended === "left"
      ? `left ${last.place} by ${outDevice} and was not seen again on this machine; nobody answered`
      : `lost in ${last.place}, where no rule of nf_tables has dropped it`;
  return decided("lost", last, text);
}

function decided(kind: Verdict["kind"], visit: Visit | undefined, text: string): Verdict {
  return { kind, text, place: visit?.place, step: undefined };
}
