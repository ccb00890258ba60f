// Follows denials as they happen: the kernel traces denied packets, and the plan explains them.

import type { Client } from "../../../api/client/client.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import type { Random } from "../../../base/host/random.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Log } from "../../../base/program/log.ts";
import { type Part, runAll } from "../../../base/program/run-all.ts";
import { Admission } from "../admission.ts";
import { followPolicies } from "../objects/follow-policies.ts";
import { PolicyState } from "../plan/policy-state.ts";
import { type Denial, readTraceLine, type TracedPacket, trafficOf } from "./denial.ts";
import { explain } from "./explain.ts";

interface Parts {
  readonly client: Client;
  /** Commands that run on the node. */
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Calls `tell` for each denial, until the signal aborts. */
export async function followDenials(
  parts: Parts,
  tell: (denial: Denial) => void,
  signal: AbortSignal,
): Promise<void> {
  const state = new PolicyState();
  const pods = new Admission(state);
  let isSettled = false;
  const collections = followPolicies({
    ...parts,
    state,
    putPod: (pod, key) => pods.put(pod, key),
    putNode: () => undefined,
    onChange: () => {
      isSettled = false;
    },
  });
  const hear = (packet: TracedPacket): void => {
    if (!isSettled) state.takeChange();
    isSettled = true;
    tell(denialOf(packet, { state, clock: parts.clock }));
  };
  const monitor: Part = {
    name: "nft monitor",
    async run(stop) {
      await Promise.all(collections.map((one) => one.synced));
      const running = await parts.commands.start(["nft", "monitor", "trace"], {
        diesWithParent: true,
        signal: stop,
        onLine: (line, stream) => {
          const packet = stream === "stdout" ? readTraceLine(line) : undefined;
          if (packet !== undefined) hear(packet);
        },
      });
      await running.exited;
    },
  };
  await runAll([...collections, monitor], signal);
}

function denialOf(
  packet: TracedPacket,
  { state, clock }: { readonly state: PolicyState; readonly clock: Clock },
): Denial {
  const { source, destination } = packet;
  const answers = explain(state, { source, destination, ...trafficOf(packet) });
  const denied = answers.find(({ isAllowed }) => !isAllowed);
  const [from, to] = [state.holderOf(source)?.key, state.holderOf(destination)?.key];
  return {
    time: new Date(clock.now()).toISOString(),
    ...packet,
    ...defined({ from, to }),
    direction: denied?.direction ?? "",
    by: denied?.by ?? "policies have changed since",
    isAudited: denied?.isAudited ?? false,
  };
}
