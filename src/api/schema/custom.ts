// Custom schemas: the structural rules that a CustomResourceDefinition must keep.

export { structuralErrors } from "./custom/structural.ts";
