import { rule } from "../../../api/kinds/rbac.ts";
import type { ControllerEntry } from "../context.ts";
import { endpointsController } from "./endpoints-controller.ts";
import { mirrorController } from "./mirror-controller.ts";
import { slicesController } from "./slices-controller.ts";

const writeSlices = rule("create update", "discovery.k8s.io", "endpointslices");

export const endpointsControllers: readonly ControllerEntry[] = [
  {
    name: "endpoints",
    rights: [rule("create update", "core", "endpoints")],
    create: endpointsController,
  },
  { name: "endpointslices", rights: [writeSlices], create: slicesController },
  { name: "endpointslice-mirroring", rights: [writeSlices], create: mirrorController },
];
