// Follows how many packets policies deny, from the metrics of all nodes, while a page looks.

import { isForbidden, isNotFound } from "../../../api/client/errors.ts";
import type { Node } from "../../../api/types/core.ts";
import { type Clock, pause } from "../../../base/host/clock.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { type DenialCount, denialAfter, readDenials } from "../model/denials.ts";
import type { User } from "./ports.ts";
import { ToldKind } from "./told-kind.ts";

/** Counters in kernels cannot be watched, so that nodes are asked this often. */
const lookMs = 1_000;
const timeoutMs = 5_000;

export interface DenialParts {
  readonly user: User;
  readonly clock: Clock;
  readonly nodes: () => readonly Node[];
}

export function denialCounts({ user, clock, nodes }: DenialParts): ToldKind<DenialCount> {
  const looked = new Set<string>();
  const kind = new ToldKind<DenialCount>("denials", async (signal) => {
    while (!signal.aborted) {
      const looks = nodes().map(({ metadata }) => look(metadata.name, signal));
      judge(await Promise.all(looks), signal);
      await pause(clock, lookMs, signal);
    }
  });
  return kind;

  /** Says how far nodes could be asked, once all were. */
  function judge(failures: readonly unknown[], signal: AbortSignal): void {
    if (failures.length === 0 || signal.aborted) return;
    const failure = failures.find((each) => each !== undefined);
    if (failure === undefined) return kind.setState("current");
    const areAllRefused = failures.every((each) => isForbidden(each) || isNotFound(each));
    kind.setState(areAllRefused ? "refused" : "failing", messageOf(failure));
  }

  /** Reads the counts of a node; returns why that failed, if it did. */
  async function look(node: string, signal: AbortSignal): Promise<unknown> {
    try {
      const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/metrics`;
      const { body } = await user.client.transport.send({
        method: "GET",
        path,
        signal,
        timeoutMs,
        retries: 0,
      });
      const at = new Date(clock.now()).toISOString();
      const isFirstLook = !looked.has(node);
      looked.add(node);
      for (const seen of readDenials(body.toString(), node)) {
        const known = kind.get(seen.name);
        const after = denialAfter(known, seen, { at, isFirstLook });
        if (after !== known) kind.put(after);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }
}
