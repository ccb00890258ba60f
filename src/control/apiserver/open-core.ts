// Creates the core of the server.
import { availableParallelism } from "node:os";
import type { ClusterSettings } from "../../api/kinds/kind.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import type { Clock } from "../../base/host/clock.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Store } from "../store/store.ts";
import { webhookMetrics } from "./admission/webhooks/metrics.ts";
import { Cache } from "./cache/cache.ts";
import type { Core } from "./core.ts";
import { HeavyPool } from "./heavy/pool.ts";
import { collectionId } from "./keys.ts";
import { TurnGate } from "./limits/turn-gate.ts";
import { Snapshots } from "./lists/snapshots.ts";
import { type ObjectReader, objectReader } from "./object-reader.ts";
import type { OpenAccess, Streaming } from "./ports.ts";
import { builtinResources } from "./resources/builtin.ts";
import { Catalogue } from "./resources/catalogue.ts";
import { namespaceCompanions } from "./resources/namespace-companions.ts";
import { repairs } from "./resources/repairs.ts";
import { serviceCompanions } from "./resources/service-companions.ts";
import type { GuardSettings } from "./security/open-guard.ts";
import { webhookClient } from "./streaming/webhook-client.ts";
import { WatchGroups } from "./watch/groups.ts";
import { KeyLocks } from "./write/key-locks.ts";

/** The number of threads for heavy work; one CPU is left to the server itself. */
const threads = Math.max(1, Math.min(4, availableParallelism() - 1));

/** The cost of expressions that the server's own thread evaluates, a few milliseconds at most. */
const heavyCost = 10_000;

export interface CoreOptions {
  readonly store: Store;
  readonly settings: ClusterSettings;
  readonly log: Log;
  /** The clock and the randomness of this machine, if absent. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly access: OpenAccess;
  readonly metrics: Registry;
  /** The settings of threads for heavy work; without them there are none. */
  readonly heavy?: { readonly guard: GuardSettings };
  readonly streaming?: (objects: ObjectReader) => Streaming;
}

export async function openCore(options: CoreOptions): Promise<Core> {
  const { store, settings, log, clock = systemClock, random = systemRandom } = options;
  const builtin = builtinResources();
  const cache = await Cache.open({ store, log, repairOf: repairs(builtin) });
  const objects = objectReader(cache);
  const streaming = options.streaming?.(objects);
  const webhooks = {
    post: webhookClient(streaming?.reach),
    observe: webhookMetrics(options.metrics),
  };
  const services = serviceCompanions({ store, cache, settings, random });
  return {
    store,
    cache,
    catalogue: new Catalogue(builtin),
    companions: new Map([
      [collectionId("", "services"), services],
      [collectionId("", "namespaces"), namespaceCompanions(cache, settings)],
    ]),
    locks: new KeyLocks(),
    watches: new WatchGroups(),
    snapshots: new Snapshots(),
    settings: options.heavy === undefined ? settings : { ...settings, heavyCost },
    access: await options.access(objects, webhooks),
    webhooks,
    streaming,
    heavy:
      options.heavy && new HeavyPool({ ...options.heavy, cache, settings, log, threads, webhooks }),
    turns: new TurnGate(),
    clock,
    random,
    log,
    stop: new AbortController(),
  };
}
