// Sends one probe and follows it.

import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../base/host/clock.ts";
import type { CallOptions } from "../../base/host/command.ts";
import { HostError } from "../../base/host/error.ts";
import type { Files } from "../../base/host/files.ts";
import type { Random } from "../../base/host/random.ts";
import { findDeadEnd } from "./dead-end.ts";
import { LegacyWatch } from "./legacy-watch.ts";
import { drawMark, type ProbeMark } from "./marks.ts";
import type { Place } from "./places.ts";
import { type Probe, type ProbeResult, sendProbe } from "./probe.ts";
import type { Hop, TraceReport } from "./report.ts";
import { serviceName } from "./service-name.ts";
import { isRoute, Surroundings } from "./surroundings.ts";
import { openTap, type Tap } from "./tap.ts";
import { isBlocking, isRejecting, verdictOf } from "./verdict.ts";
import { type Step, type Visit, visitsOf } from "./visits.ts";

export interface TraceParts {
  /** The places to watch, the sender's among them. */
  readonly places: readonly Place[];
  readonly files: Files;
  readonly random: Random;
  readonly clock: Clock;
}

export async function tracePath(
  probe: Probe & { readonly from: Place },
  parts: TraceParts,
  options: CallOptions = {},
): Promise<TraceReport> {
  const mark = drawMark({ family: probe.destination.family, protocol: probe.protocol }, parts);
  const taps = new Map<Place, Tap>();
  try {
    const unwatched = await openTaps(taps, { mark, from: probe.from, parts, options });
    const legacy = await LegacyWatch.open(taps, options);
    const visits = (): readonly Visit[] => visitsOf(hearings(parts.places, taps), mark.table);
    const result = await probeUntilDecided(probe, { mark, visits, ...options });
    await Promise.all([...taps.values()].map((tap) => tap.finish()));
    return await report({
      probe,
      result,
      visits: visits(),
      legacy,
      unwatched,
      parts,
      options,
    });
  } finally {
    await Promise.all([...taps.values()].map((tap) => tap.close()));
  }
}

interface TapRequest {
  readonly mark: ProbeMark;
  readonly from: Place;
  readonly parts: TraceParts;
  readonly options: CallOptions;
}

/**
 * Opens a tap in each place, and waits for all, so that none is left open. Returns notes about those that
 * failed.
 */
async function openTaps(
  taps: Map<Place, Tap>,
  { mark, from, parts, options }: TapRequest,
): Promise<readonly string[]> {
  const notes: string[] = [];
  const results = await Promise.allSettled(
    parts.places.map(async (place) => {
      try {
        taps.set(place, await openTap(mark, { ...options, ...parts, commands: place.commands }));
      } catch (error) {
        // Namespaces come and go; only the sender's has to be there.
        if (place === from || !(error instanceof HostError)) throw error;
        notes.push(`${place.name} could not be watched: ${error.message}`);
      }
    }),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return notes;
}

function hearings(places: readonly Place[], taps: ReadonlyMap<Place, Tap>) {
  return places.map((place) => ({ place: place.name, lines: taps.get(place)?.lines ?? [] }));
}

/** How long the kernel may take to tell a local sender of a drop. */
const refusalMs = 200;
const pollMs = 20;

/**
 * Sends the probe, and stops waiting for an answer once it was dropped. If it was rejected, the sender is
 * told, however late.
 */
async function probeUntilDecided(
  probe: Probe & { readonly from: Place },
  context: CallOptions & { readonly mark: ProbeMark; readonly visits: () => readonly Visit[] },
): Promise<ProbeResult> {
  const { mark, visits, signal } = context;
  const over = new AbortController();
  const signals = signal === undefined ? [over.signal] : [signal, over.signal];
  const options = { commands: probe.from.commands, signal: AbortSignal.any(signals) };
  const sent = sendProbe(mark, probe, options).catch((error: unknown) => {
    if (over.signal.aborted) return silence;
    throw error;
  });
  try {
    return (await Promise.race([sent, blockSeen(visits, over.signal)])) ?? silence;
  } finally {
    over.abort();
    await sent;
  }
}

const silence: ProbeResult = { outcome: "silent", detail: undefined };

/** Resolves a while after a rule has silently dropped the probe. */
async function blockSeen(visits: () => readonly Visit[], signal: AbortSignal): Promise<undefined> {
  const isBlocked = (): boolean =>
    visits().some(({ direction, steps }) => direction === "forth" && steps.some(isSilent));
  while (!signal.aborted && !isBlocked()) await setTimeout(pollMs);
  if (!signal.aborted) await setTimeout(refusalMs);
  return undefined;
}

function isSilent(step: Step): boolean {
  return isBlocking(step) && !isRejecting(step);
}

interface Findings {
  readonly probe: Probe & { readonly from: Place };
  readonly result: ProbeResult;
  readonly visits: readonly Visit[];
  readonly legacy: LegacyWatch;
  readonly unwatched: readonly string[];
  readonly parts: TraceParts;
  readonly options: CallOptions;
}

async function report(findings: Findings): Promise<TraceReport> {
  const { result, visits, legacy, parts, options } = findings;
  const { from, timeoutMs: _, ...probe } = findings.probe;
  const placeOf = (name: string): Place => parts.places.find((one) => one.name === name) ?? from;
  const around = (name: string): Surroundings => new Surroundings(placeOf(name).commands, options);
  const addressesOf = (name: string): Place["addresses"] => placeOf(name).addresses;
  const forth = visits.filter(({ direction }) => direction === "forth");
  const hops = await Promise.all(
    forth.map(async (visit) => ({
      ...(await withSurroundings(visit, around(visit.place), probe)),
      service: await serviceName(visit, { ...probe, ...placeOf(visit.place), ...options }),
    })),
  );
  const suspects = await legacy.suspects();
  const deadEnd =
    result.outcome === "answered"
      ? undefined
      : await findDeadEnd({ last: hops.at(-1), from: from.name, probe, around, addressesOf });
  return {
    probe: { ...probe, ...result },
    verdict: verdictOf({ probe: result, visits, deadEnd, suspects }),
    hops,
    answer: visits.filter(({ direction }) => direction === "back"),
    notes: [...legacy.notes(new Set(forth.map(({ place }) => place))), ...findings.unwatched],
  };
}

async function withSurroundings(
  visit: Visit,
  around: Surroundings,
  { protocol }: Pick<Probe, "protocol">,
): Promise<Omit<Hop, "service">> {
  const { first, last, began, ended } = visit;
  const isPassedOn = began === "received" && ended === "left";
  const isKnown = isPassedOn || visit.translations.length > 0;
  const inDevice = began === "received" ? first.inDevice : undefined;
  const way = { source: first.source, destination: last.destination, inDevice };
  const found = ended === "left" ? await around.route(way) : undefined;
  return {
    ...visit,
    route: found !== undefined && isRoute(found) ? found : undefined,
    connection: isKnown ? await around.connection(first, protocol) : undefined,
  };
}
