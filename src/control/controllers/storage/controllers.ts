// The controllers of volumes and claims.

import type { ControllerEntry } from "../context.ts";
import { createBindingController } from "./binding-controller.ts";
import { createEphemeralController } from "./ephemeral-controller.ts";
import { createClaimProtection, createVolumeProtection } from "./protection-controller.ts";

export const storageControllers: readonly ControllerEntry[] = [
  { name: "persistentvolume-binder", create: createBindingController },
  { name: "ephemeral-volume", create: createEphemeralController },
  { name: "pvc-protection", create: createClaimProtection },
  { name: "pv-protection", create: createVolumeProtection },
];
