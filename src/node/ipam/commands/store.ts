import { isObject } from "../../../base/json/value.ts";
import { type DatastoreSettings, readDatastore } from "../config/datastore.ts";
import { Fields, type JsonObject } from "../config/fields.ts";
import { readFlatFile } from "../config/flat-file.system.ts";
import { merge } from "../config/merge.ts";
import { openDatastore } from "../datastore/open.ts";
import type { Datastore } from "../datastore/port.ts";
import { IpamError } from "../errors.ts";
import { readJsonFile } from "./json-file.system.ts";

/** The options that name a datastore on the command line; at most one is given. */
export interface StoreChoice {
  /** The path of a network configuration, a list of plugins, or the flat file. */
  readonly cniConfig?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly etcd?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

/** Chooses the datastore that is named, else that of the flat file, else the local one at its usual place. */
export function chooseStore(choice: StoreChoice): DatastoreSettings {
  const { cniConfig, dataDir, etcd, kubeconfig } = choice;
  const named = [cniConfig, dataDir, etcd, kubeconfig].filter((one) => one !== undefined);
  if (named.length > 1) {
    throw new IpamError(
      "invalidConfiguration",
      `Cannot choose a datastore: ${named.join(" and ")} name more than one`,
    );
  }
  if (kubeconfig !== undefined) return { type: "kubernetes", kubeconfig };
  if (etcd !== undefined) return readDatastore(fieldsOf({ datastore: "etcd", etcd_host: etcd }));
  if (dataDir !== undefined) return { type: "local", dataDir };
  const inline = cniConfig === undefined ? {} : ipamIn(cniConfig);
  const flat = readFlatFile(fieldsOf(inline).text("configuration_path"));
  if (cniConfig === undefined && flat === undefined)
    return readDatastore(fieldsOf({ datastore: "local" }));
  return readDatastore(fieldsOf(merge(inline, flat?.fields ?? {})));
}

/** Opens the datastore for the time of some work. */
export async function withStore<T>(
  choice: StoreChoice,
  work: (datastore: Datastore) => Promise<T>,
): Promise<T> {
  const datastore = await openDatastore(chooseStore(choice));
  try {
    return await work(datastore);
  } finally {
    await datastore.close();
  }
}

function ipamIn(path: string): JsonObject {
  const file = readJsonFile(path);
  const found = isObject(file) ? findIpam(file) : undefined;
  if (found !== undefined) return found;
  throw new IpamError("decoding", `Cannot read ${path}: it is no network configuration`);
}

function findIpam(file: JsonObject): JsonObject | undefined {
  if (isObject(file.ipam)) return file.ipam;
  if (!Array.isArray(file.plugins)) return file;
  const plugins = (file.plugins as unknown[]).filter(isObject);
  return plugins.map(({ ipam }) => ipam).find(isObject);
}

function fieldsOf(ipam: JsonObject): Fields {
  return new Fields(ipam, "ipam");
}
