// Asks all questions of a check, a few at a time.

import { describeError } from "../../base/program/errors.ts";
import { runEcho } from "../echo/echo.ts";
import { execute, type RemoteOutput } from "./exec.ts";
import type { Sender } from "./plan.ts";
import { absent, failed, judge, type Question, type Result, wordsOf } from "./results.ts";
import { type Settling, settle, startMs } from "./settle.ts";

export interface Asking extends Settling {
  readonly namespace: string;
}

const atOnce = 8;

export async function askAll(
  questions: readonly Question[],
  asking: Asking,
): Promise<readonly Result[]> {
  return await settle(
    {
      questions,
      ask: (open, tell) =>
        eachOf(open, async (question) => tell(question, await ask(question, asking))),
      mayChange: ({ verdict, target }) => verdict === "failed" && target !== undefined,
      describe: (count) => `${count} ${count === 1 ? "check" : "checks"}`,
    },
    asking,
  );
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
