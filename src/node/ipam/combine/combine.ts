import type { Invocation, Outcome } from "../run.ts";

/** How processes of one machine find and ask each other. */
export interface Meeting {
  /** Asks whoever leads: nobody may, or not answer. */
  ask(invocation: Invocation): Promise<Outcome | "nobody" | "silence">;
  /** Leads: answers what others ask until it is left. Undefined when somebody leads already. */
  lead(answer: (invocation: Invocation) => Promise<Outcome>): Promise<Leading | undefined>;
  /** Gives the place of a leader that must be dead to the next. */
  bury(): void;
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
/** A leader that is just leaving may miss one question, but not several. */
const silencesUntilBurial = 3;

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
