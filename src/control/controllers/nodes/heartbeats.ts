// Heartbeats of nodes, dated by the time they were seen here, so that the nodes' clocks do not matter.

import type { Lease } from "../../../api/types/coordination.ts";
import type { Node } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { conditionOf } from "./node-condition.ts";

interface Heard {
  readonly uid: string;
  readonly renewTime: string;
  readonly heartbeat: string;
  readonly at: number;
}

export class Heartbeats {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #heard = new Map<string, Heard>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Notes a heartbeat if something has changed that only the node itself writes. */
  observe(node: Node, lease: Lease | undefined): void {
    const { name, uid = "" } = node.metadata;
    const { renewTime = "" } = lease?.spec ?? {};
    const before = this.#heard.get(name);
    const heartbeat = heartbeatOf(node) ?? before?.heartbeat ?? "";
    const isUnchanged =
      before?.uid === uid && before.renewTime === renewTime && before.heartbeat === heartbeat;
    if (isUnchanged) return;
    this.#heard.set(name, { uid, renewTime, heartbeat, at: this.#clock.monotonic() });
  }

  forget(name: string): void {
    this.#heard.delete(name);
  }

  /** Returns for how long a node has been silent. */
  silence(name: string): number {
    const { at } = this.#heard.get(name) ?? { at: this.#clock.monotonic() };
    return this.#clock.monotonic() - at;
  }

  /** Whether all nodes are silent: then the fault is more likely on this side. */
  areAllSilent(longerThanMs: number): boolean {
    const names = [...this.#heard.keys()];
    return names.length > 0 && names.every((name) => this.silence(name) >= longerThanMs);
  }
}

/** Returns the heartbeat in the status; "Unknown" was written by a controller, so it is no sign of life. */
function heartbeatOf(node: Node): string | undefined {
  const ready = conditionOf(node, "Ready");
  return ready?.status === "Unknown" ? undefined : ready?.lastHeartbeatTime;
}
