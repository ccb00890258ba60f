import type { DatastoreSettings } from "../config/datastore.ts";
import type { Datastore } from "../datastore/port.ts";

type Open = (settings: DatastoreSettings) => Promise<Datastore>;

/** Opens a datastore once for all who ask with the same settings; it stays open. */
export function sharing(open: Open): Open {
  const opened = new Map<string, Promise<Datastore>>();
  return async (settings) => {
    const key = JSON.stringify(settings);
    const known = opened.get(key) ?? open(settings);
    opened.set(key, known);
    try {
      return keptOpen(await known);
    } catch (error) {
      opened.delete(key);
      throw error;
    }
  };
}

function keptOpen(datastore: Datastore): Datastore {
  return {
    transact: (scope, decide) => datastore.transact(scope, decide),
    reservations: () => datastore.reservations(),
    livingOwners: () => datastore.livingOwners(),
    slices: (table) => datastore.slices(table),
    claimSlice: (table, choose) => datastore.claimSlice(table, choose),
    releaseSlices: () => datastore.releaseSlices(),
    close: async () => undefined,
  };
}
