import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid } from "../../fields/field-errors.ts";
import { hostIPs, podIPs } from "../../pairs/pairs.ts";
import type { Pod } from "../../types/core.ts";
import { each } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { completeAddresses, reconcileAddresses, validateAddresses } from "./addresses.ts";
import { completeNewPod, completeUpdatedPod, newPodErrors } from "./admission.ts";
import { ephemeralChangeErrors, specChangeErrors } from "./changes.ts";
import { defaultPod } from "./defaults.ts";
import { selectableField, selectableFields } from "./fields.ts";
import { resizeErrors } from "./resize.ts";
import { graceSecondsOf, initialStatus, statusUpdateErrors } from "./status.ts";
import { podTable } from "./table.ts";
import { imageErrors } from "./validate-containers.ts";
import { validatePodSpec } from "./validate-spec.ts";

export const pod: Kind<Pod> = {
  default(object) {
    object.spec ??= { containers: [] };
    object.status ??= {};
    defaultPod(object);
  },
  upgrade({ status }) {
    if (status !== undefined) completeAddresses(status);
  },
  removable: [["status", "podIPs", "properties"]],
  reconcile(object, context) {
    const { old, subresource } = context;
    // Addresses are reconciled for the status subresource only: other requests do not change the status.
    const errors =
      subresource === "status"
        ? reconcileAddresses((object.status ??= {}), old?.status, context)
        : [];
    if (old === undefined) errors.push(...newPodErrors(object));
    if (old !== undefined && subresource === undefined) {
      completeUpdatedPod(object, old);
      errors.push(...specChangeErrors(object, old), ...annotationChangeErrors(object, old));
    }
    if (old !== undefined && subresource === "ephemeralcontainers") {
      errors.push(...ephemeralChangeErrors(object, old));
    }
    if (old !== undefined && subresource === "resize") errors.push(...resizeErrors(object, old));
    return { errors, warnings: [] };
  },
  prepareCreate(object, settings) {
    completeNewPod(object);
    object.status = initialStatus(object, settings);
  },
  prepareUpdate(object, old) {
    object.status = old.status ?? {};
  },
  prepareStatusUpdate(object, old) {
    object.spec = old.spec;
    // Owner references are restored: agents that do not know all of their fields write them back incomplete.
    const { ownerReferences } = old.metadata;
    if (ownerReferences === undefined) delete object.metadata.ownerReferences;
    else object.metadata.ownerReferences = ownerReferences;
  },
  validate: (object) => [
    ...validatePodSpec(object.spec, "spec", { isPod: true }),
    ...each(object.spec.containers, "spec.containers", imageErrors),
    ...each(object.spec.initContainers, "spec.initContainers", imageErrors),
    ...annotationErrors(object),
    ...validateAddresses(object.status ?? {}),
  ],
  validateStatusUpdate: statusUpdateErrors,
  gracePeriodSeconds: graceSecondsOf,
  selectableFields,
  selectableField,
  toldTwice: [podIPs, hostIPs].map((pair) => ({ path: ["status"], pair })),
  table: podTable,
};

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const mirror = "kubernetes.io/config.mirror";

function annotationErrors({ metadata, spec }: Pod): FieldError[] {
  const { [deletionCost]: cost, [mirror]: source } = metadata.annotations ?? {};
  const path = "metadata.annotations";
  const isCost = cost === undefined || (/^-?\d{1,10}$/.test(cost) && Number(cost) < 2 ** 31);
  const detail = "must set spec.nodeName if mirror pod annotation is set";
  return [
    ...(isCost ? [] : [invalid(`${path}[${deletionCost}]`, cost, "must be a 32bit integer")]),
    ...(source !== undefined && !spec.nodeName
      ? [invalid(`${path}[${mirror}]`, source, detail)]
      : []),
  ];
}

/** Refuses changes of the mirror annotation, which is set on create or never. */
function annotationChangeErrors({ metadata }: Pod, old: Pod): FieldError[] {
  const now = metadata.annotations?.[mirror];
  const before = old.metadata.annotations?.[mirror];
  if (now === before) return [];
  const what = before === undefined ? "add" : "remove or update";
  return [forbidden(`metadata.annotations[${mirror}]`, `may not ${what} mirror pod annotation`)];
}
