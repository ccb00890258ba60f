// The echo server that checks and examples talk to.

export { placeText } from "./reach.system.ts";
export { runEcho } from "./run.ts";
