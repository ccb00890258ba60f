// The network of a node: its own links and routes, and the interfaces of its pods by CNI plugins.

export { cleanUpNetwork, networkTraces } from "./clean-up.ts";
export { openNodeNetwork } from "./links/node-network.ts";
export { openCniPodNetwork } from "./pod-network.ts";
export type { RouteMode } from "./routes/plan.ts";
