// Rules of Nodes that other parts need: how a Node is printed.

export { nodeTable } from "./node/table.ts";
