// The echo server that checks and examples talk to.

export { runEcho } from "./run.ts";
