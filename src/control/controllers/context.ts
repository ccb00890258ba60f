// The context that controllers are created with.

import type { Client } from "../../api/client/client.ts";
import type { EventRecorder } from "../../api/client/events.ts";
import type { Informers } from "../../api/client/informer.ts";
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
  /** Returns an object that several controllers share: made for the first that asks, the same for all. */
  shared<T>(make: (context: ControllerContext) => T): T;
}

/** An entry in the list of controllers. */
export interface ControllerEntry {
  /** The controller's name in `--controllers`. */
  readonly name: string;
  /** Creates the controller and requests its informers; nothing runs yet. */
  create(context: ControllerContext): Part;
}

export function createContext(base: ControllerBase): ControllerContext {
  const made = new Map<(context: ControllerContext) => unknown, unknown>();
  const context: ControllerContext = {
    ...base,
    shared<T>(make: (context: ControllerContext) => T): T {
      if (!made.has(make)) made.set(make, make(context));
      return made.get(make) as T;
    },
  };
  return context;
}
