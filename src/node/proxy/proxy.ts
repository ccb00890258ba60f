// The service proxy: running it, showing what a Service became in the kernel, and cleaning up.

export { cleanUp } from "./clean-up.ts";
export { type Protocol, protocols } from "./plan/frontend.ts";
export type { NodePortAddresses } from "./plan/node-ports.ts";
export { runProxy } from "./run-proxy.ts";
export { defaultProxySettings } from "./settings.ts";
export type { Lead } from "./show/kernel-place.ts";
export { type ShownPlace, showService } from "./show/show-service.ts";
