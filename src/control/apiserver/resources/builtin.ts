// The built-in resources.
import { kindOf } from "../../../api/kinds/kinds.ts";
import { schemaOf } from "../../../api/schema/registry.ts";
import { resources } from "../../../api/schema/resources.ts";
import { definitionDeletion, definitions } from "../crds/deletion.ts";
import { collectionId } from "../keys.ts";
import { conversions } from "./conversions.ts";
import {
  type DeletionRules,
  type ScaleFields,
  type ServedResource,
  serveResource,
} from "./served.ts";

const hourInSeconds = 3600;

export function builtinResources(): ServedResource[] {
  return resources.map((resource) => {
    const schema = schemaOf(resource);
    if (schema === undefined) throw new Error(`Cannot serve ${resource.plural}: it has no schema`);
    const { group, version, plural, kind } = resource;
    const converted = conversions.get(`${group}/${version}/${kind}`);
    const collection = converted?.collection ?? collectionId(group, plural);
    return serveResource({
      resource,
      schema,
      collection,
      rules: kindOf(converted?.group ?? group, kind),
      conversion: converted?.conversion,
      ttlSeconds: kind === "Event" ? hourInSeconds : undefined,
      scale: resource.subresources.some(({ name }) => name === "scale") ? builtinScale : undefined,
      deletion: deletions[collection],
    });
  });
}

const builtinScale: ScaleFields = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  selector: ["spec", "selector"],
};

/** The deletion rules of namespaces, which the finalizers of their spec hold until their content is gone. */
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

const deletions: Readonly<Record<string, DeletionRules>> = {
  [collectionId("", "namespaces")]: namespaceDeletion,
  [definitions]: definitionDeletion,
};
