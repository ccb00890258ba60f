// The DNS server of a cluster, and the watch of groups of pods.

export { commandHook, printHook, webHook } from "./group/hook.ts";
export { Journal } from "./group/journal.ts";
export { watchGroup } from "./group/watch-group.ts";
export { runDns } from "./run-dns.ts";
