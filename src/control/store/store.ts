// The store: one port, opened on the embedded database or on etcd.

export { parseStoreAddress, type StoreAddress } from "./address.ts";
export {
  type Backup,
  type BackupFiles,
  verifyBackup,
  writeBackup,
} from "./backup/backup-file.system.ts";
export { readContents } from "./backup/read-contents.ts";
export { restoreStore } from "./backup/restore.system.ts";
export { type EncryptionRule, parseEncryption } from "./encryption/configuration.ts";
export { type EncryptedStore, encryptedStore } from "./encryption/encrypted-store.ts";
export { isClosed, isExpired, isUnavailable, isUnknownOutcome } from "./errors.ts";
export { openStore } from "./open.system.ts";
export type { Change, ChangeBatch, Compare, Entry, Operation, Revision, Store } from "./port.ts";
