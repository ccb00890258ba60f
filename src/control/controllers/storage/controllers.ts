// The controllers of volumes and claims.

import type { ControllerEntry } from "../context.ts";
import { bindingController } from "./binding-controller.ts";
import { ephemeralController } from "./ephemeral-controller.ts";
import { claimProtectionController, volumeProtectionController } from "./protection-controller.ts";

export const storageControllers: readonly ControllerEntry[] = [
  { name: "persistentvolume-binder", create: bindingController },
  { name: "ephemeral-volume", create: ephemeralController },
  { name: "pvc-protection", create: claimProtectionController },
  { name: "pv-protection", create: volumeProtectionController },
];
