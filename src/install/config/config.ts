// The install-config file: reading, validating and migrating it.

export { Fields, Findings } from "./fields.ts";
export type { Host, InstallConfig } from "./install-config.ts";
export { migrateInstallConfig } from "./migrate.ts";
export { type Platform, type PlatformName, platforms, type VipUse, vipUses } from "./platforms.ts";
export { readInstallConfig, vipNames } from "./read.ts";
export { type NodeAddress, type Taken, vipConflict } from "./vip-conflicts.ts";
