// Rules of workloads that other parts need: what a pod template must keep.

export { completeTemplate } from "./workloads/template.ts";
