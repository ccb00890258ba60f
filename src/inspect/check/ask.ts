// Asks all questions of a check, a few at a time.

import type { Access } from "../../api/client/access.ts";
import type { Clock } from "../../base/host/clock.ts";
import { describeError } from "../../base/program/errors.ts";
import type { Progress } from "../../base/program/progress.ts";
import { runEcho } from "../echo/echo.ts";
import { execute, type RemoteOutput } from "./exec.ts";
import type { Sender } from "./plan.ts";
import { absent, failed, judge, type Question, type Result, wordsOf } from "./results.ts";

export interface Asking {
  readonly access: Access;
  readonly namespace: string;
  readonly clock: Clock;
  readonly progress: Progress;
  /** The time limit for an answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How long failed questions are repeated: rules and names follow new pods and services after a moment. */
const settlingMs = 10_000;
const pauseMs = 500;
const atOnce = 8;
/** Extra time to start the program that asks in the pod: a busy node takes a while. */
const startMs = 30_000;

export async function askAll(
  questions: readonly Question[],
  asking: Asking,
): Promise<readonly Result[]> {
  const { clock, progress, signal } = asking;
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
    const step = `${asked.length} ${asked.length === 1 ? "check" : "checks"}${round > 0 ? " again" : ""}`;
    await progress.step(step, () =>
      eachOf(asked, async (question) => void results.set(question, await ask(question, asking))),
    );
    open = asked.filter((question) => mayChange(results.get(question)));
  }
  return questions.flatMap((question) => results.get(question) ?? []);
}

function mayChange(result: Result | undefined): boolean {
  return result?.verdict === "failed" && result.target !== undefined;
}

async function ask(question: Question, asking: Asking): Promise<Result> {
  const { target, protocol, way } = question;
  const { timeoutMs, signal } = asking;
  signal.throwIfAborted();
  if (target === undefined) return absent(question);
  const late = AbortSignal.timeout(timeoutMs + startMs);
  const words = wordsOf(target, { protocol, timeoutMs });
  try {
    return judge(
      question,
      await say(way.from, words, { ...asking, signal: AbortSignal.any([signal, late]) }),
    );
  } catch (error) {
    signal.throwIfAborted();
    const lateness = `no answer in ${timeoutMs + startMs} ms`;
    return failed(question, late.aborted ? lateness : describeError(error));
  }
}

async function say(
  from: Sender,
  words: readonly string[],
  { access, namespace, signal }: Asking,
): Promise<RemoteOutput> {
  if (from.kind === "here") return await sayHere(words);
  const { pod, container } = from;
  const command = ["tandem-echo", ...words];
  return await execute(access, { namespace, pod, container, command, signal });
}

async function sayHere(words: readonly string[]): Promise<RemoteOutput> {
  const said = { stdout: "", stderr: "" };
  const exitCode = await runEcho(words, {
    environment: {},
    write: (text) => void (said.stdout += text),
    complain: (text) => void (said.stderr += text),
  });
  return { exitCode, ...said };
}

async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const worker = async () => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
