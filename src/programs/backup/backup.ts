// Wires backups: the store of a cluster and the certificates of its server, to a file and back.

import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { systemFiles } from "../../base/host/files.system.ts";
import { version } from "../../base/program/version.ts";
import type { Backup, BackupFiles, StoreAddress } from "../../control/store/store.ts";
import {
  parseStoreAddress,
  readContents,
  restoreStore,
  verifyBackup,
  writeBackup,
} from "../../control/store/store.ts";
import { publicKeyHash } from "../../node/join/join.ts";

export { type Backup, verifyBackup } from "../../control/store/store.ts";

export interface BackupSettings {
  readonly dataDir: string;
  /** The word `embedded`, or the address of etcd, as for the server. */
  readonly store: string;
  /** The path of the backup. */
  readonly file: string;
  readonly now: () => Date;
}

export interface RestoreSettings extends BackupSettings {
  /** Whether a store that holds something is replaced. */
  readonly replace: boolean;
  /** Whether the server of another cluster may be made one of this. */
  readonly otherCluster: boolean;
}

/** Prefix of the keys that hold the cluster's roots; a server refuses a store without them. */
const secretsPrefix = "/cluster/";

/** Writes a backup of a cluster whose server may be running, and verifies it. */
export async function backUp(settings: BackupSettings): Promise<Backup> {
  const { dataDir, store, file, now } = settings;
  const cluster = await clusterOf(dataDir);
  if (cluster === undefined) {
    throw new Error(`Cannot back up ${dataDir}: no server has run there, it has no pki/ca.crt`);
  }
  const contents = await readContents(addressOf(dataDir, store));
  try {
    const { revision } = contents;
    const head = { version, time: now().toISOString(), cluster, revision };
    const files = await readCertificates(dataDir);
    await writeBackup(file, { head, files, entries: contents.entries() });
  } finally {
    contents.close();
  }
  return verifyBackup(file);
}

export async function restore(settings: RestoreSettings): Promise<Backup> {
  const { dataDir, store, file, replace, otherCluster, now } = settings;
  const backup = await verifyBackup(file);
  const cluster = await clusterOf(dataDir);
  if (cluster !== undefined && cluster !== backup.head.cluster && !otherCluster) {
    throw new Error(
      `Cannot restore ${file}: it is of the cluster ${backup.head.cluster}, but ${dataDir} is of ${cluster}`,
    );
  }
  const names = Object.keys(backup.files);
  const wrong = names.find((name) => !/^[a-z0-9][a-z0-9.-]*$/i.test(name));
  if (wrong !== undefined) throw new Error(`Cannot restore ${file}: it names a file "${wrong}"`);
  await systemFiles.makePrivateDirectory(dataDir);
  const options = { path: file, backup, replace, lastPrefix: secretsPrefix, now };
  await restoreStore(addressOf(dataDir, store), options);
  await systemFiles.makePrivateDirectory(join(dataDir, "pki"));
  for (const name of names) {
    const content = backup.files[name] ?? "";
    await systemFiles.write(join(dataDir, "pki", name), content, { mode: 0o600 });
  }
  return backup;
}

function addressOf(dataDir: string, store: string): StoreAddress {
  if (store !== "embedded") return parseStoreAddress(store);
  return { type: "embedded", directory: join(dataDir, "store") };
}

async function clusterOf(dataDir: string): Promise<string | undefined> {
  const root = await systemFiles.read(join(dataDir, "pki/ca.crt"));
  return root === undefined ? undefined : publicKeyHash(new X509Certificate(root));
}

async function readCertificates(dataDir: string): Promise<BackupFiles> {
  const files: Record<string, string> = {};
  for (const name of await systemFiles.list(join(dataDir, "pki"))) {
    const content = await systemFiles.read(join(dataDir, "pki", name));
    if (content !== undefined) files[name] = content;
  }
  return files;
}
