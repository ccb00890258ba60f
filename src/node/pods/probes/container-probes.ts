// The probes of one running container: the startup probe first, then the others side by side.

import type { Probe } from "../../../api/types/core.ts";
import { pause } from "../../../base/host/clock.ts";
import { describeError } from "../../../base/program/errors.ts";
import { type HandlerTarget, handleWithin } from "./handler.ts";
import { counted, decided, type Tally } from "./tally.ts";

type ProbeKind = "Startup" | "Liveness" | "Readiness";

export interface ProbeFindings {
  started(): void;
  ready(isReady: boolean): void;
  /** The startup or liveness probe has failed for good: the container must be restarted. */
  failed(message: string, graceSeconds: number | undefined): void;
  /** Called for each failed probe. */
  remark(message: string): void;
}

export interface ProbesOptions {
  readonly target: HandlerTarget;
  readonly findings: ProbeFindings;
  /** Whether the startup probe has succeeded already, under an earlier agent. */
  readonly isStarted: boolean;
  /** Whether the container may have probes; init and ephemeral containers may not. */
  readonly hasProbes: boolean;
  readonly signal: AbortSignal;
}

export async function runProbes(options: ProbesOptions): Promise<void> {
  const { target, findings, isStarted, hasProbes, signal } = options;
  const { startupProbe, livenessProbe, readinessProbe } = hasProbes ? target.slot.container : {};
  if (startupProbe !== undefined && !isStarted) {
    const isUp = await untilDecided("Startup", startupProbe, options);
    if (signal.aborted) return;
    if (!isUp) return condemn("startup", startupProbe, options);
  }
  findings.started();
  if (readinessProbe === undefined) findings.ready(true);
  await Promise.all([
    ...(readinessProbe === undefined
      ? []
      : [repeat("Readiness", readinessProbe, options, (isGood) => findings.ready(isGood))]),
    ...(livenessProbe === undefined ? [] : [untilDead(livenessProbe, options)]),
  ]);
}

async function untilDead(probe: Probe, options: ProbesOptions): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  await repeat("Liveness", probe, { ...options, signal }, (isGood) => {
    if (!isGood) over.abort();
  });
  if (!options.signal.aborted) condemn("liveness", probe, options);
}

/** Probes until the outcome is decided; returns false also when the signal aborts. */
async function untilDecided(kind: ProbeKind, probe: Probe, options: ProbesOptions) {
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  let outcome = false;
  await repeat(kind, probe, { ...options, signal }, (isGood) => {
    outcome = isGood;
    over.abort();
  });
  return outcome;
}

/** Runs the probe periodically, never two at once, until the signal aborts. */
async function repeat(
  kind: ProbeKind,
  probe: Probe,
  { target, findings, signal }: ProbesOptions,
  tell: (isGood: boolean) => void,
): Promise<void> {
  const { clock } = target;
  const { initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1 } = probe;
  let tally: Tally | undefined;
  await pause(clock, 1000 * initialDelaySeconds, signal);
  while (!signal.aborted) {
    const begun = clock.monotonic();
    const failure = await failureOf(probe, target, { timeoutMs: 1000 * timeoutSeconds, signal });
    if (signal.aborted) return;
    if (failure !== undefined) findings.remark(`${kind} probe failed: ${failure}`);
    tally = counted(tally, failure === undefined);
    const verdict = decided(tally, probe);
    if (verdict !== undefined) tell(verdict);
    const rest = 1000 * periodSeconds - (clock.monotonic() - begun);
    await pause(clock, Math.max(0, rest), signal);
  }
}

async function failureOf(
  probe: Probe,
  target: HandlerTarget,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  try {
    await handleWithin(probe, target, limits);
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

function condemn(kind: string, probe: Probe, { target, findings }: ProbesOptions): void {
  const message = `Container ${target.slot.name} failed ${kind} probe`;
  findings.failed(message, probe.terminationGracePeriodSeconds);
}
