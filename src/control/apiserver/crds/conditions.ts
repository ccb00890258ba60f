// Conditions in the status of a custom resource definition.
import { timestamp } from "../../../api/fields/timestamp.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from "../../../api/types/apiextensions.ts";

export type Condition = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">;

/** Sets a condition; its transition time changes only when its status does. */
export function setCondition(
  definition: CustomResourceDefinition,
  condition: Condition,
  now: Date,
): void {
  const status = (definition.status ??= {});
  const conditions = (status.conditions ??= []);
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[index];
  const isSame = before?.status === condition.status;
  const lastTransitionTime = (isSame ? before.lastTransitionTime : undefined) ?? timestamp(now);
  const next = { ...condition, lastTransitionTime };
  if (before === undefined) conditions.push(next);
  else conditions[index] = next;
}

export function namesAccepted(conflict: string | undefined): Condition {
  return conflict === undefined
    ? {
        type: "NamesAccepted",
        status: "True",
        reason: "NoConflicts",
        message: "no conflicts found",
      }
    : { type: "NamesAccepted", status: "False", reason: "NameConflict", message: conflict };
}

export const established: Condition = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};

export const notEstablished: Condition = {
  type: "Established",
  status: "False",
  reason: "NotAccepted",
  message: "not all names are accepted",
};

export const terminating: Condition = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionPending",
  message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
};
