// The parts that `tandem dns` and `tandem watch-group` start with.

export { openDnsParts } from "./parts.ts";
export { beginAnewIfCompiling } from "./start.ts";
