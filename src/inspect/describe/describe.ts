// Descriptions of pods, services, nodes and endpoints, as text.

export { layOut } from "./layout.ts";
export { descriptions } from "./read.ts";
