import type { DatastoreSettings } from "../config/datastore.ts";
import type { Datastore } from "./port.ts";

/** Only what is used is loaded: a start costs a few milliseconds, and should. */
export async function openDatastore(settings: DatastoreSettings): Promise<Datastore> {
  if (settings.type === "local") {
    const { openLocal } = await import("./local/local.ts");
    return openLocal(settings.dataDir);
  }
  if (settings.type === "etcd") {
    const { openEtcd } = await import("./etcd/etcd.ts");
    return openEtcd(settings);
  }
  const { openKubernetes } = await import("./kubernetes/kubernetes.ts");
  return openKubernetes(settings);
}
