// What pages may start: the check as whoever asks, traces as whoever started the dashboard.

import type { Invocation, Output } from "../../base/command-line/command.ts";
import type { Progress } from "../../base/program/progress.ts";
import type { Actions, TraceRequest } from "../../inspect/dashboard/dashboard.ts";
import type { TraceReport } from "../../inspect/trace/trace.ts";
import { checkAs, usualCheck } from "../check/check.ts";
import type { ConnectOptions } from "../connect/connect.ts";
import { runTrace, traceInside } from "../trace/trace.ts";

export interface Allowed {
  readonly allowCheck: boolean;
  readonly allowTrace: boolean;
}

const traceTimeoutMs = 5_000;

export function actionsOf(
  { allowCheck, allowTrace }: Allowed,
  options: ConnectOptions,
  env: Invocation["env"],
): Actions {
  return {
    ...(allowCheck && {
      check: (user, { progress, signal }) =>
        checkAs(user, usualCheck, { progress: tellingSteps(progress), signal }),
    }),
    ...(allowTrace && {
      trace: (request, { signal = new AbortController().signal }) =>
        trace(request, { options, env, signal }),
    }),
  };
}

interface Around {
  readonly options: ConnectOptions;
  readonly env: Invocation["env"];
  readonly signal: AbortSignal;
}

/** Traces as `tandem trace` does: inside of a cluster on this machine, or from here. */
async function trace(
  { from, to, protocol, family }: TraceRequest,
  { options, env, signal }: Around,
): Promise<readonly TraceReport[]> {
  const words = [
    ...(protocol === undefined ? [] : [`--protocol=${protocol}`]),
    ...(family === undefined ? [] : [`--family=${family}`]),
    `--timeout=${traceTimeoutMs}ms`,
    "--output=json",
    "--",
    from,
    to,
  ];
  const [stdout, stderr] = [new Kept(), new Kept()];
  const code = await traceInside({ options, words, env, stdout, stderr, signal });
  if (code === undefined) {
    const { kubeconfig, context } = options;
    const probe = { protocol, family, netns: undefined, timeout: traceTimeoutMs };
    const all = { kubeconfig, context, namespace: undefined, ...probe };
    return await runTrace({ options: all, args: { from, to }, env, signal });
  }
  if (stdout.text.startsWith("[")) return JSON.parse(stdout.text) as readonly TraceReport[];
  throw new Error(stderr.text.trim() || `Cannot trace: it ended with ${code}`);
}

/** Keeps what a command writes. */
class Kept implements Output {
  text = "";

  write(text: string): void {
    this.text += text;
  }
}

function tellingSteps(tell: (step: string) => void): Progress {
  return {
    async step(name, work) {
      tell(name);
      return await work();
    },
  };
}
