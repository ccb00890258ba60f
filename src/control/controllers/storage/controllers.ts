// The controllers of volumes and claims.

import { rule } from "../../../api/kinds/rbac.ts";
import type { ControllerEntry } from "../context.ts";
import { bindingController } from "./binding-controller.ts";
import { ephemeralController } from "./ephemeral-controller.ts";
import { claimProtectionController, volumeProtectionController } from "./protection-controller.ts";

export const storageControllers: readonly ControllerEntry[] = [
  {
    name: "persistentvolume-binder",
    rights: [
      rule("create update", "core", "persistentvolumes persistentvolumeclaims"),
      rule("update", "core", "persistentvolumes/status persistentvolumeclaims/status"),
    ],
    create: bindingController,
  },
  {
    name: "ephemeral-volume",
    rights: [rule("create", "core", "persistentvolumeclaims")],
    create: ephemeralController,
  },
  {
    name: "pvc-protection",
    rights: [rule("update", "core", "persistentvolumeclaims")],
    create: claimProtectionController,
  },
  {
    name: "pv-protection",
    rights: [rule("update", "core", "persistentvolumes")],
    create: volumeProtectionController,
  },
];
