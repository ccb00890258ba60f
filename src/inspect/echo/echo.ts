// The echo server that checks and examples talk to.

export { placeText } from "./reach.ts";
export { runEcho } from "./run.ts";
