import type { Invocation, Outcome } from "../run.ts";

/** How processes of one machine find and ask each other. */
export interface Meeting {
  /** Asks whoever leads; undefined when nobody answers. */
  ask(invocation: Invocation): Promise<Outcome | undefined>;
  /**
   * Leads: answers what others ask until it is left. Undefined when somebody leads already, unless
   * nobody has answered so often that whoever led must be dead.
   */
  lead(
    answer: (invocation: Invocation) => Promise<Outcome>,
    unanswered: number,
  ): Promise<Leading | undefined>;
}

export interface Leading {
  /** Whether somebody waits for an answer. */
  readonly isBusy: boolean;
  /** Resolves when nobody does, or when the time is up. */
  idle(milliseconds: number): Promise<void>;
  /** Resolves when somebody comes, or when the time is up. */
  visited(milliseconds: number): Promise<void>;
  /** Nobody new comes; those who are there are still answered. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** How long a process that has its own result serves others that keep coming. */
const tenureMilliseconds = 1000;
/** Where several come, more come as soon as those are served. */
const lingerMilliseconds = 100;
const farewellMilliseconds = 60_000;

/**
 * Of the processes that run at the same time one does the work of all: it has a connection, and it
 * stores together what they decide. Any of them can fail at any time, since what is asked twice is
 * done once.
 */
export async function combine(
  invocation: Invocation,
  meeting: Meeting,
  carryOut: (invocation: Invocation) => Promise<Outcome>,
): Promise<Outcome> {
  for (let unanswered = 0; ; ) {
    const answer = await meeting.ask(invocation);
    if (answer !== undefined) return answer;
    const leading = await meeting.lead(carryOut, ++unanswered);
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
