import type { DatastoreSettings } from "../config/datastore.ts";
import { IpamError } from "../errors.ts";
import type { Datastore } from "./port.ts";

/** Only what is used is loaded: a start costs a few milliseconds, and should. */
export async function openDatastore(settings: DatastoreSettings): Promise<Datastore> {
  if (settings.type === "local") {
    const { openLocal } = await import("./local/local.ts");
    return openLocal(settings.dataDir);
  }
  throw new IpamError("invalidConfiguration", `Cannot use ipam.datastore ${settings.type}`);
}
