import { glob } from "node:fs/promises";
import { systemFiles } from "../../base/host/files.system.ts";
import type { NamedNamespace } from "../../inspect/trace/trace.ts";
import { readRecord } from "../../node/pods/pods.ts";

/** The records of pods that agents on this machine keep, in any of their run directories. */
const records = "/run/{,*/}*/pods/{,*/}*/sandbox.json";

/** Finds the network namespaces of this machine's pods, by the pods' names. */
export async function podNamespaces(): Promise<readonly NamedNamespace[]> {
  const found: NamedNamespace[] = [];
  for await (const path of glob(records)) {
    const record = readRecord((await systemFiles.read(path)) ?? "");
    const network = record?.isReady === true ? record.namespaces.network : undefined;
    if (record === undefined || network === undefined) continue;
    found.push({ name: `pod ${record.namespace}/${record.name}`, path: network });
  }
  return found;
}
