// The ingress controller, which drives nginx.

export { runIngress } from "./run-ingress.ts";
