// Virtual addresses: planning and rendering keepalived and haproxy, and running them on a node.

export type { VipNode } from "./cluster.ts";
export { renderNode } from "./render/node.ts";
export { vipPod } from "./render/pod.ts";
export { ApiSource } from "./runtime/api-source.ts";
export { clusterView, type Infrastructure, infrastructures } from "./runtime/cluster-view.ts";
export { VipRuntime } from "./runtime/runtime.ts";
export { defaultSettings } from "./settings.ts";
export { type VipStatus, vipStatus } from "./status.ts";
