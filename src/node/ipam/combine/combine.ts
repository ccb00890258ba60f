import type { Invocation, Outcome } from "../run.ts";

/** The way in which plugin processes of one machine find and ask each other. */
export interface Meeting {
  /** Asks the process that leads: "nobody" when none does, "silence" when it does not answer. */
  ask(invocation: Invocation): Promise<Outcome | "nobody" | "silence">;
  /**
   * Becomes the leader, which answers the others until it leaves. Undefined when another process leads
   * already.
   */
  lead(answer: (invocation: Invocation) => Promise<Outcome>): Promise<Leading | undefined>;
  /** Removes a leader that must be dead, so that another process can lead. */
  bury(): void;
}

export interface Leading {
  /** Whether a process waits for an answer. */
  readonly isBusy: boolean;
  /** Resolves when no process waits for an answer, or when the time is up. */
  idle(milliseconds: number): Promise<void>;
  /** Resolves when a process asks, or when the time is up. */
  visited(milliseconds: number): Promise<void>;
  /** Stops taking new calls; those that have arrived are still answered. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** The time for which a process that has its own result goes on serving others. */
const tenureMilliseconds = 1000;
/** The time that a leader waits for further calls: processes come in bursts. */
const lingerMilliseconds = 100;
const farewellMilliseconds = 60_000;
/**
 * The number of unanswered calls after which a leader counts as dead: one that is just leaving may miss
 * one call, but not several.
 */
const silencesUntilBurial = 3;

/**
 * Lets one of the processes that run at the same time do the work of all: it has one connection to the
 * datastore, and stores in one write what it decides for all. Any of them may fail at any time, since a
 * call that is repeated takes effect once.
 */
export async function combine(
  invocation: Invocation,
  meeting: Meeting,
  carryOut: (invocation: Invocation) => Promise<Outcome>,
): Promise<Outcome> {
  for (let silences = 0; ; ) {
    const answer = await meeting.ask(invocation);
    if (typeof answer === "object") return answer;
    if (answer === "silence" && ++silences % silencesUntilBurial === 0) meeting.bury();
    const leading = await meeting.lead(carryOut);
    if (leading !== undefined) return lead(invocation, leading, carryOut);
  }
}

async function lead(
  invocation: Invocation,
  leading: Leading,
  carryOut: (invocation: Invocation) => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await carryOut(invocation);
  const end = performance.now() + tenureMilliseconds;
  const timeLeft = () => Math.max(0, end - performance.now());
  while (leading.isBusy && timeLeft() > 0) {
    await leading.idle(timeLeft());
    await leading.visited(Math.min(lingerMilliseconds, timeLeft()));
  }
  await leading.leave();
  await leading.idle(farewellMilliseconds);
  await leading.close();
  return outcome;
}
