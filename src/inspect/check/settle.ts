// Repeats what failed until it settles: rules and names follow new pods, services and policies after a moment.

import type { Access } from "../../api/client/access.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Progress } from "../../base/program/progress.ts";

export interface Settling {
  readonly access: Access;
  readonly clock: Clock;
  readonly progress: Progress;
  /** The time limit for an answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface Rounds<Question, Result> {
  readonly questions: readonly Question[];
  /** Asks questions and tells each result. */
  readonly ask: (
    questions: readonly Question[],
    tell: (question: Question, result: Result) => void,
  ) => Promise<unknown>;
  /** Whether a result may be another one a moment later. */
  readonly mayChange: (result: Result) => boolean;
  /** What a number of questions is called in the progress. */
  readonly describe: (count: number) => string;
}

/** Extra time to start the program that asks in the pod: a busy node takes a while. */
export const startMs = 30_000;

const settlingMs = 10_000;
const pauseMs = 500;

/** The last results, in the order of the questions. */
export async function settle<Question, Result>(
  { questions, ask, mayChange, describe }: Rounds<Question, Result>,
  { clock, progress, signal }: Pick<Settling, "clock" | "progress" | "signal">,
): Promise<readonly Result[]> {
  const settled = clock.monotonic() + settlingMs;
  const results = new Map<Question, Result>();
  let open = questions;
  for (let round = 0; open.length > 0; round += 1) {
    if (round > 0) {
      // Every failed question is asked at least twice, even if the first round took longer than the settling
      // time.
      if (round > 1 && clock.monotonic() > settled) break;
      await clock.sleep(pauseMs, signal);
    }
    const asked = open;
    const again = round > 0 ? " again" : "";
    await progress.step(`${describe(asked.length)}${again}`, () =>
      ask(asked, (question, result) => void results.set(question, result)),
    );
    open = asked.filter((question) => {
      const result = results.get(question);
      return result !== undefined && mayChange(result);
    });
  }
  return questions.flatMap((question) => results.get(question) ?? []);
}
