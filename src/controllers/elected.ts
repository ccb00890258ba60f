// Controllers of several servers: those of one run, and those of another when it is gone.

import { LeaderElection } from "../client/leader-election.ts";
import type { ControllerEntry } from "./context.ts";
import { type ControllerSettings, runControllers } from "./run.ts";

export interface ElectedOptions extends ControllerSettings {
  readonly entries: readonly ControllerEntry[];
  /** Another one for each process. */
  readonly identity: string;
}

const pauseMs = 1_000;

/** A term that fails is followed by another: an API server does not stop over its controllers. */
export async function runElected(options: ElectedOptions, signal: AbortSignal): Promise<void> {
  const { entries, identity, ...settings } = options;
  const { client, clock, log } = settings;
  const election = new LeaderElection({
    ...settings,
    leases: client.resource("coordination.k8s.io/v1", "Lease"),
    lease: { namespace: "kube-system", name: "tandem-controllers" },
    identity,
    lead: (until) => runControllers(entries, settings, until),
  });
  while (!signal.aborted) {
    try {
      await election.run(signal);
    } catch (error) {
      if (signal.aborted) return;
      log.error("Cannot keep the controllers running; trying again", { error });
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }
}
