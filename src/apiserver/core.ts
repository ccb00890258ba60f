// What all verbs work with.
import type { ClusterSettings } from "../api/kinds/kind.ts";
import type { Log } from "../program/log.ts";
import type { Store } from "../store/port.ts";
import type { Admission } from "./access.ts";
import type { Cache } from "./cache/cache.ts";
import type { Snapshots } from "./lists/snapshots.ts";
import type { Catalogue } from "./resources/catalogue.ts";
import type { WatchGroups } from "./watch/groups.ts";

export interface Core {
  readonly store: Store;
  readonly cache: Cache;
  readonly catalogue: Catalogue;
  readonly watches: WatchGroups;
  readonly snapshots: Snapshots;
  readonly settings: ClusterSettings;
  readonly admission: readonly Admission[];
  readonly log: Log;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}
