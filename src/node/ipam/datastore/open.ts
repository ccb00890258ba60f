import type { DatastoreSettings } from "../config/datastore.ts";
import { type DatastoreParts, systemParts } from "./parts.ts";
import type { Datastore } from "./port.ts";

/**
 * Opens a datastore. Only the module of that datastore is loaded, since the plugin must start in a few
 * milliseconds.
 */
export async function openDatastore(
  settings: DatastoreSettings,
  parts: DatastoreParts = systemParts,
): Promise<Datastore> {
  if (settings.type === "local") {
    const { openLocal } = await import("./local/local.ts");
    return openLocal(settings.dataDir, parts);
  }
  if (settings.type === "etcd") {
    const { openEtcd } = await import("./etcd/etcd.ts");
    return openEtcd(settings, parts);
  }
  const { openKubernetes } = await import("./kubernetes/kubernetes.ts");
  return openKubernetes(settings, parts);
}
