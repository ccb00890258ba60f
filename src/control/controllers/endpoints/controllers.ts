import type { ControllerEntry } from "../context.ts";
import { createEndpointsController } from "./endpoints-controller.ts";
import { createMirrorController } from "./mirror-controller.ts";
import { createSlicesController } from "./slices-controller.ts";

export const endpointsControllers: readonly ControllerEntry[] = [
  { name: "endpoints", create: createEndpointsController },
  { name: "endpointslices", create: createSlicesController },
  { name: "endpointslice-mirroring", create: createMirrorController },
];
