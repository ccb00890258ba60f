// Rules of workloads that other parts need: what a pod template must keep.

export { defaultTemplate } from "./workloads/template.ts";
