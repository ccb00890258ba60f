import type { DatastoreSettings } from "../config/datastore.ts";
import type { Datastore } from "../datastore/port.ts";
import { filesOf } from "./files-of.system.ts";

type Open = (settings: DatastoreSettings) => Promise<Datastore>;

/**
 * The number of datastores that stay open unused, more than a machine needs; any further one is closed as
 * soon as it is unused.
 */
const mostOpen = 32;

/**
 * Opens one datastore for all calls with the same settings. It stays open until a call finds that the
 * files behind it have changed since it was opened.
 */
export function sharing(open: Open): Open {
  const opened = new Map<string, Shared>();

  const leave = async (key: string, shared: Shared): Promise<void> => {
    if (--shared.users > 0) return;
    if (opened.get(key) === shared) {
      if (opened.size <= mostOpen) return;
      opened.delete(key);
    }
    await close(shared);
  };

  return async (settings) => {
    const key = JSON.stringify(settings);
    const files = filesOf(settings);
    const known = opened.get(key);
    const shared = known?.files === files ? known : { files, datastore: open(settings), users: 0 };
    opened.set(key, shared);
    shared.users++;
    if (known !== undefined && known !== shared && known.users === 0) await close(known);
    try {
      return lend(await shared.datastore, () => leave(key, shared));
    } catch (error) {
      if (opened.get(key) === shared) opened.delete(key);
      throw error;
    }
  };
}

interface Shared {
  /** The state of the files behind the datastore when it was opened. */
  readonly files: string;
  readonly datastore: Promise<Datastore>;
  users: number;
}

async function close({ datastore }: Shared): Promise<void> {
  await (await datastore).close();
}

function lend(datastore: Datastore, giveBack: () => Promise<void>): Datastore {
  return {
    transact: (scope, decide) => datastore.transact(scope, decide),
    reservations: () => datastore.reservations(),
    livingOwners: () => datastore.livingOwners(),
    slices: (table) => datastore.slices(table),
    claimSlice: (table, choose) => datastore.claimSlice(table, choose),
    releaseSlices: () => datastore.releaseSlices(),
    close: giveBack,
  };
}
