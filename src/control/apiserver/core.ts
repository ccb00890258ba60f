// The core: the parts of the server that all verbs work with.
import type { ClusterSettings } from "../../api/kinds/kind.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import type { Store } from "../store/store.ts";
import type { WebhookPort } from "./admission/webhooks/port.ts";
import type { Cache } from "./cache/cache.ts";
import type { HeavyWork } from "./heavy/port.ts";
import type { TurnGate } from "./limits/turn-gate.ts";
import type { Snapshots } from "./lists/snapshots.ts";
import type { Access, Streaming } from "./ports.ts";
import type { Catalogue } from "./resources/catalogue.ts";
import type { CompanionsOf } from "./resources/companions.ts";
import type { WatchGroups } from "./watch/groups.ts";
import type { KeyLocks } from "./write/key-locks.ts";

export interface Core {
  readonly store: Store;
  readonly cache: Cache;
  readonly catalogue: Catalogue;
  /** The functions that plan writes accompanying an object's, by collection. */
  readonly companions: ReadonlyMap<string, CompanionsOf>;
  readonly locks: KeyLocks;
  readonly watches: WatchGroups;
  readonly snapshots: Snapshots;
  readonly settings: ClusterSettings;
  readonly access: Access;
  /** The way to webhooks of admission and conversion. */
  readonly webhooks: WebhookPort;
  readonly streaming: Streaming | undefined;
  /** The pool of threads for heavy work; without it all work is done in the server's own thread. */
  readonly heavy: HeavyWork | undefined;
  /** The gate that requests pass before their work in the server's thread. */
  readonly turns: TurnGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborts when the server stops. */
  readonly stop: AbortController;
}
