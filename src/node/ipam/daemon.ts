import { type Clock, pause } from "../../base/host/clock.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";
import { sharing } from "./combine/share.ts";
import type { SocketLeading, SocketMeeting } from "./combine/sockets.system.ts";
import { openDatastore } from "./datastore/open.ts";
import { commands } from "./environment.ts";
import { writeLog } from "./log.system.ts";
import { type Invocation, type Outcome, run } from "./run.ts";

export interface DaemonOptions {
  readonly meeting: SocketMeeting;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Registry;
}

/** The interval at which the daemon checks that its socket is still the one that plugins find. */
const lookMs = 500;
/**
 * The interval at which a waiting daemon tries to take over: short, or a plugin process would lead before
 * it does.
 */
const waitMs = 10;
/** The number of attempts to take over between two checks that whoever holds the socket is alive. */
const waitsUntilKnock = 50;
/** The time that calls which are being served may take when the daemon ends. */
const farewellMs = 5_000;

/**
 * Does the work of every tandem-ipam of the machine for as long as it runs. It is fast because its
 * datastores are open already and because it decides on several calls at once. Nothing depends on it: a
 * plugin that gets no answer does the work itself.
 */
export class IpamDaemon implements Part {
  readonly name = "ipam daemon";
  readonly #options: DaemonOptions;
  readonly #answer: (invocation: Invocation) => Promise<Outcome>;
  #isServing = false;

  constructor(options: DaemonOptions) {
    const machine = {
      now: () => options.clock.now(),
      writeLog,
      open: sharing(openDatastore),
    };
    this.#options = options;
    this.#answer = timed(options, (invocation) => run(invocation, machine));
  }

  /** Whether plugins ask this daemon, and no other process. */
  get isServing(): boolean {
    return this.#isServing;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { meeting, log, clock } = this.#options;
    const farewells: Promise<void>[] = [];
    await meeting.sweep();
    for (let waits = 0; !signal.aborted; ) {
      const leading = await meeting.lead(this.#answer);
      if (leading === undefined) {
        if (waits++ % waitsUntilKnock === 0 && !(await meeting.isAttended())) meeting.bury();
        await pause(clock, waitMs, signal);
        continue;
      }
      log.info("serving tandem-ipam", { socket: meeting.path });
      this.#isServing = true;
      while (!signal.aborted && leading.isPlaced) await pause(clock, lookMs, signal);
      this.#isServing = false;
      farewells.push(farewell(leading));
    }
    await Promise.all(farewells);
  }
}

async function farewell(leading: SocketLeading): Promise<void> {
  await leading.leave();
  await leading.idle(farewellMs);
  await leading.close();
}

function timed(
  { metrics, clock }: Pick<DaemonOptions, "metrics" | "clock">,
  answer: (invocation: Invocation) => Promise<Outcome>,
): (invocation: Invocation) => Promise<Outcome> {
  const seconds = metrics.histogram("tandem_ipam_call_seconds", {
    help: "How long calls of tandem-ipam took, by verb and by how they ended.",
    labels: ["verb", "outcome"],
  });
  return async (invocation) => {
    const started = clock.monotonic();
    const outcome = await answer(invocation);
    const verb = commands.find((known) => known === invocation.variables.CNI_COMMAND) ?? "unknown";
    seconds
      .with(verb, outcome.failed ? "failure" : "success")
      .observe((clock.monotonic() - started) / 1000);
    return outcome;
  };
}
