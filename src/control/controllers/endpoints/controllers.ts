import type { ControllerEntry } from "../context.ts";
import { endpointsController } from "./endpoints-controller.ts";
import { mirrorController } from "./mirror-controller.ts";
import { slicesController } from "./slices-controller.ts";

export const endpointsControllers: readonly ControllerEntry[] = [
  { name: "endpoints", create: endpointsController },
  { name: "endpointslices", create: slicesController },
  { name: "endpointslice-mirroring", create: mirrorController },
];
