// The server of a node that the API server asks for logs, exec, attach and port-forward.

export { openNodeServer } from "./server.ts";
