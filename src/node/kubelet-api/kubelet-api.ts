// The kubelet API of a node: logs, exec, attach and port-forward for the API server.

export { openNodeServer } from "./server.ts";
