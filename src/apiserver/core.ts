// What all verbs work with.
import type { ClusterSettings } from "../api/kinds/kind.ts";
import type { Log } from "../program/log.ts";
import type { Store } from "../store/port.ts";
import type { Admission, Authenticator, Authorizer } from "./access.ts";
import type { Cache } from "./cache/cache.ts";
import type { Snapshots } from "./lists/snapshots.ts";
import type { RulesFor, ServiceAccountTokenIssuer, Streaming, TokenReviewer } from "./ports.ts";
import type { Catalogue } from "./resources/catalogue.ts";
import type { WatchGroups } from "./watch/groups.ts";

export interface Core {
  readonly store: Store;
  readonly cache: Cache;
  readonly catalogue: Catalogue;
  readonly watches: WatchGroups;
  readonly snapshots: Snapshots;
  readonly settings: ClusterSettings;
  readonly authenticator: Authenticator | undefined;
  readonly authorizer: Authorizer | undefined;
  readonly admission: readonly Admission[];
  readonly rulesFor: RulesFor | undefined;
  readonly tokenIssuer: ServiceAccountTokenIssuer | undefined;
  readonly tokenReviewer: TokenReviewer | undefined;
  readonly streaming: Streaming | undefined;
  readonly log: Log;
  /** Aborts when the server stops. */
  readonly stop: AbortController;
}
