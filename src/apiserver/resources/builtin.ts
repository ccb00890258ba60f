// The resources that are always there.
import type { Kind } from "../../api/kinds/kind.ts";
import { schemaOf } from "../../api/schema/registry.ts";
import { type Resource, resources } from "../../api/schema/resources.ts";
import { type DeletionRules, type ServedResource, serveResource } from "./served.ts";

/** What a kind's own rules are; a kind without any is described by its schema alone. */
export type RulesOf = (resource: Resource) => Kind | undefined;

const dayInSeconds = 86_400;

export function builtinResources(rulesOf: RulesOf): ServedResource[] {
  return resources.filter(isStored).map((resource) => {
    const schema = schemaOf(resource);
    if (schema === undefined) throw new Error(`Cannot serve ${resource.plural}: it has no schema`);
    const rules = rulesOf(resource);
    return serveResource({
      resource,
      schema,
      ...(rules === undefined ? {} : { rules }),
      ...(resource.kind === "Event" ? { ttlSeconds: dayInSeconds / 24 } : {}),
      ...(resource.kind === "Namespace" ? { deletion: namespaceDeletion } : {}),
    });
  });
}

/** Reviews and bindings are answered, not kept. */
function isStored({ verbs }: Resource): boolean {
  return verbs.includes("get");
}

/** A namespace is held by the finalizers of its spec, until its content is gone. */
const namespaceDeletion: DeletionRules = {
  isHeld: (object) => ((object as NamespaceLike).spec?.finalizers ?? []).length > 0,
  markDeleting: (object) => {
    (object as NamespaceLike).status = {
      ...(object as NamespaceLike).status,
      phase: "Terminating",
    };
  },
};

interface NamespaceLike {
  spec?: { finalizers?: string[] };
  status?: { phase?: string };
}
