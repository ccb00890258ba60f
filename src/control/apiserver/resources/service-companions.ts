// The companions of services: reservations of their addresses and ports.
import type { ClusterSettings } from "../../../api/kinds/kind.ts";
import type { Service } from "../../../api/types/core.ts";
import type { ServiceCIDR } from "../../../api/types/networking.ts";
import type { Random } from "../../../base/host/random.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { Store } from "../../store/store.ts";
import { defaultPortRange } from "../allocation/node-ports.ts";
import { addressCollection } from "../allocation/reservations.ts";
import { serviceAllocator } from "../allocation/services.ts";
import type { Cache } from "../cache/cache.ts";
import { collectionId } from "../keys.ts";
import type { CompanionsOf } from "./companions.ts";

export function serviceCompanions(options: {
  store: Store;
  cache: Cache;
  settings: ClusterSettings;
  random: Random;
}): CompanionsOf {
  const { store, cache, settings, random } = options;
  const addresses = cache.collection(addressCollection);
  const configured = settings.serviceCidrs.map((text) => Prefix.parse(text));
  const further = furtherRanges(cache);
  const allocator = serviceAllocator({
    store,
    addresses: {
      has: (address) => addresses.get("", address) !== undefined,
      all: () => addresses.list().map(({ name }) => name),
    },
    ranges: (family) => [...configured, ...further()].filter((range) => range.family === family),
    nodePorts: defaultPortRange,
    random,
    now: settings.now,
  });
  return (change, attempt) =>
    allocator.plan(
      {
        ...(change.old === undefined ? {} : { old: change.old as Service }),
        ...(change.new === undefined ? {} : { new: change.new as Service }),
      },
      attempt,
    );
}

/** Returns ranges that were added to a running cluster, read again when one of them changes. */
function furtherRanges(cache: Cache): () => readonly Prefix[] {
  const collection = cache.collection(collectionId("networking.k8s.io", "servicecidrs"));
  let known: readonly Prefix[] = [];
  let version = -1;
  return () => {
    if (version !== collection.version) {
      version = collection.version;
      const objects = collection.list().map((item) => item.parse() as ServiceCIDR);
      known = objects
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .flatMap(({ spec }) => spec?.cidrs ?? [])
        .map((text) => Prefix.parse(text));
    }
    return known;
  };
}
