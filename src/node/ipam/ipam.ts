// The IPAM plugin: its daemon, its credentials, its reconciler, and the commands that show and release
// addresses.

export { meetAtSocket, usualSocket } from "./combine/sockets.system.ts";
export { importReservations, readPools } from "./commands/import.ts";
export { releaseByHand } from "./commands/release.ts";
export { describeOverview, formatOverview, overview, poolUseOf } from "./commands/show.ts";
export { withStore } from "./commands/store.ts";
export { keepIpamCredentials } from "./credentials.ts";
export { IpamDaemon } from "./daemon.ts";
export { Api } from "./datastore/kubernetes/api.ts";
export { kubernetesDatastore } from "./datastore/kubernetes/kubernetes.ts";
export type { IpPool as IpPoolObject } from "./datastore/kubernetes/pool-object.ts";
export { installPlugin } from "./install/install-plugin.ts";
export { openOwnAccount } from "./install/own-account.ts";
export { hasNamespace } from "./namespaces.system.ts";
export { reconcile } from "./reconcile.ts";
export { Reconciler } from "./reconciler.ts";
