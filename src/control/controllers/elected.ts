// Leader election for the controllers of several servers: those of one server run, and those of another when
// it is gone.

import { LeaderElection } from "../../api/client/leader-election.ts";
import { pause } from "../../base/host/clock.ts";
import type { ControllerEntry } from "./context.ts";
import { type ControllerSettings, runControllers } from "./run.ts";

export interface ElectedOptions extends ControllerSettings {
  readonly entries: readonly ControllerEntry[];
  /**
   * The identity in the election, another one for each process; `undefined` if no other server can exist, so
   * that no election is needed.
   */
  readonly identity?: string | undefined;
}

const pauseMs = 1_000;

/**
 * Runs terms of leadership. A term that fails is followed by another: an API server does not stop because of
 * its controllers.
 */
export async function runElected(options: ElectedOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  const runTerms = termsOf(options);
  while (!signal.aborted) {
    try {
      await runTerms(signal);
    } catch (error) {
      if (signal.aborted) return;
      log.error("Cannot keep the controllers running; trying again", { error });
      await pause(clock, pauseMs, signal);
    }
  }
}

function termsOf({ entries, identity, ...settings }: ElectedOptions) {
  const lead = (until: AbortSignal) => runControllers(entries, settings, until);
  if (identity === undefined) return lead;
  const election = new LeaderElection({
    ...settings,
    leases: settings.client.resource("coordination.k8s.io/v1", "Lease"),
    lease: { namespace: "kube-system", name: "tandem-controllers" },
    identity,
    lead,
  });
  return (until: AbortSignal) => election.run(until);
}
