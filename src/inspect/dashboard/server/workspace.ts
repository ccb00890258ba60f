// All that the dashboard keeps for one user: everything in it was read, and is started, with this user's rights.

import type { InformerSettings } from "../../../api/client/informer.ts";
import type { Node } from "../../../api/types/core.ts";
import type { Part } from "../../../base/program/run-all.ts";
import { announcementsOf } from "./announcements.ts";
import { CheckRuns } from "./check-runs.ts";
import { Feed } from "./feed.ts";
import { followAll } from "./followed-kind.ts";
import type { Actions, Placing, User } from "./ports.ts";
import { sourcesOf } from "./sources.ts";

export interface WorkspaceParts extends InformerSettings {
  readonly actions: Actions;
  readonly placing: Placing | undefined;
  /** The only namespace that is read, if not all are. */
  readonly namespace: string | undefined;
}

export class Workspace implements Part {
  readonly name = "workspace";
  readonly user: User;
  readonly feed: Feed;
  readonly checks: CheckRuns | undefined;
  readonly nodes: () => readonly Node[];
  readonly #stop = new AbortController();

  constructor(user: User, parts: WorkspaceParts) {
    const { actions, namespace, placing, clock } = parts;
    this.user = user;
    const followed = followAll(sourcesOf(user.client, namespace), parts);
    const byName = new Map(followed.map((kind) => [kind.name, kind]));
    this.nodes = () => (byName.get("nodes")?.list() ?? []) as readonly Node[];
    this.checks = actions.check && new CheckRuns(user, actions.check, clock);
    this.feed = new Feed([
      ...followed,
      ...(placing === undefined
        ? []
        : announcementsOf({ ...parts, user, placing, followed: byName })),
      ...(this.checks === undefined ? [] : [this.checks.kind]),
    ]);
  }

  /** Aborts when the workspace is closed. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Follows everything until the signal aborts or the workspace is closed, then cleans up. */
  async run(signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.#stop.signal]);
    try {
      await this.feed.run(until);
    } finally {
      this.#stop.abort();
      await this.checks?.stop();
    }
  }

  close(): void {
    this.#stop.abort();
  }
}
