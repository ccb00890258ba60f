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
      await Promise.all(nodes().map(({ metadata }) => look(metadata.name, signal)));
      await pause(clock, lookMs, signal);
    }
  });
  return kind;

  async function look(node: string, signal: AbortSignal): Promise<void> {
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
      kind.setState("current");
    } catch (error) {
      if (signal.aborted) return;
      const isRefused = isForbidden(error) || isNotFound(error);
      kind.setState(isRefused ? "refused" : "failing", messageOf(error));
    }
  }
}
