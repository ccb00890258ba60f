import { readFileSync } from "node:fs";
import type { EtcdSettings } from "../../config/datastore.ts";
import { IpamError, messageOf } from "../../errors.ts";

/** Reads the files of a configuration's certificates; `undefined` when it names none. */
export function readTls({ caFile, certFile, keyFile }: EtcdSettings) {
  const read = (path: string | undefined) => {
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      throw new IpamError("inputOutput", `Cannot read ${path}: ${messageOf(error)}`, error);
    }
  };
  if (caFile === undefined && certFile === undefined && keyFile === undefined) return undefined;
  return { ca: read(caFile), cert: read(certFile), key: read(keyFile) };
}
