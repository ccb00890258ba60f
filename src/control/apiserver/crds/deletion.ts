// Deletion of a definition: it is removed only after its objects.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { CustomResourceDefinition } from "../../../api/types/apiextensions.ts";
import { collectionId } from "../keys.ts";
import type { DeletionRules } from "../resources/served.ts";
import { setCondition, terminating } from "./conditions.ts";

export const definitions = collectionId("apiextensions.k8s.io", "customresourcedefinitions");
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export const definitionDeletion: DeletionRules = {
  isHeld: ({ metadata }) => metadata?.deletionTimestamp === undefined,
  markDeleting(object: ApiObject) {
    const definition = object as CustomResourceDefinition;
    const { metadata } = definition;
    if (definition.status?.conditions?.some(({ type }) => type === terminating.type)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), cleanupFinalizer];
    setCondition(definition, terminating, new Date(metadata.deletionTimestamp ?? 0));
  },
};
