// Rules of Services that other parts need: which addresses and ports a Service wants.

export {
  isHeadless,
  needsClusterIP,
  needsHealthCheckNodePort,
  needsNodePorts,
} from "./service/needs.ts";
