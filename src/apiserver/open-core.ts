// Puts together what all verbs work with.
import type { ClusterSettings } from "../api/kinds/kind.ts";
import type { Log } from "../program/log.ts";
import type { Store } from "../store/port.ts";
import type { Admission, Authenticator, Authorizer } from "./access.ts";
import { Cache } from "./cache/cache.ts";
import type { Core } from "./core.ts";
import { Snapshots } from "./lists/snapshots.ts";
import type { RulesFor, ServiceAccountTokenIssuer, Streaming, TokenReviewer } from "./ports.ts";
import { builtinResources, type RulesOf } from "./resources/builtin.ts";
import { Catalogue } from "./resources/catalogue.ts";
import { repairs } from "./resources/repairs.ts";
import type { CompanionsOf } from "./resources/served.ts";
import { WatchGroups } from "./watch/groups.ts";

export interface CoreOptions {
  readonly store: Store;
  readonly settings: ClusterSettings;
  readonly log: Log;
  readonly rulesOf: RulesOf;
  /** By collection. */
  readonly companions?: ReadonlyMap<string, CompanionsOf>;
  /** Without one, nobody gets beyond health and version. */
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  readonly admission?: readonly Admission[];
  readonly rulesFor?: RulesFor;
  readonly tokenIssuer?: ServiceAccountTokenIssuer;
  readonly tokenReviewer?: TokenReviewer;
  readonly streaming?: Streaming;
}

export async function openCore(options: CoreOptions): Promise<Core> {
  const { store, settings, log, rulesOf, companions } = options;
  const builtin = builtinResources({
    rulesOf,
    ...(companions === undefined ? {} : { companions }),
  });
  return {
    store,
    cache: await Cache.open({ store, log, repairOf: repairs(builtin) }),
    catalogue: new Catalogue(builtin),
    watches: new WatchGroups(),
    snapshots: new Snapshots(),
    settings,
    authenticator: options.authenticator,
    authorizer: options.authorizer,
    admission: options.admission ?? [],
    rulesFor: options.rulesFor,
    tokenIssuer: options.tokenIssuer,
    tokenReviewer: options.tokenReviewer,
    streaming: options.streaming,
    log,
    stop: new AbortController(),
  };
}
