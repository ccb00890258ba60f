// The context that controllers are created with.

import type { Client } from "../../api/client/client.ts";
import type { EventRecorder } from "../../api/client/events.ts";
import type { Informers } from "../../api/client/informer.ts";
import type { PolicyRule } from "../../api/types/rbac.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";

/** The base of a context, all of which lasts as long as a term of leadership. */
export interface ControllerBase {
  readonly client: Client;
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry | undefined;
}

export interface ControllerContext extends ControllerBase {
  /** The name of the controller in `--controllers`, in its log and in its metrics. */
  readonly name: string;
  /** Returns an object that several controllers share: made for the first that asks, the same for all. */
  shared<T>(make: (base: ControllerBase) => T): T;
}

/** An entry in the list of controllers. */
export interface ControllerEntry {
  /** The controller's name in `--controllers`. */
  readonly name: string;
  /** The rights that the controller needs beyond those of all controllers; absent: none. */
  readonly rights?: readonly PolicyRule[];
  /** Creates the controller and requests its informers; nothing runs yet. */
  create(context: ControllerContext): Part;
}

/** Returns the contexts of controllers, by their names; what they share is the same for all. */
export function createContexts(base: ControllerBase): (name: string) => ControllerContext {
  const made = new Map<(base: ControllerBase) => unknown, unknown>();
  const shared = <T>(make: (base: ControllerBase) => T): T => {
    if (!made.has(make)) made.set(make, make(base));
    return made.get(make) as T;
  };
  return (name) => ({ ...base, name, shared });
}
