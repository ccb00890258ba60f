import { statSync } from "node:fs";
import type { DatastoreSettings } from "../config/datastore.ts";

/**
 * Describes the files behind a datastore: the text changes when a credential is renewed, or when a local
 * datastore is removed and made anew.
 */
export function filesOf(settings: DatastoreSettings): string {
  switch (settings.type) {
    case "local":
      return stateOf(settings.dataDir);
    case "etcd":
      return [settings.caFile, settings.certFile, settings.keyFile].map(stateOf).join();
    case "kubernetes":
      return stateOf(settings.kubeconfig);
  }
}

function stateOf(path: string | undefined): string {
  const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
}
