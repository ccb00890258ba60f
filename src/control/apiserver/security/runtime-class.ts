// A pod that asks for a runtime class counts on what it protects from: one that is not there is refused.
import { resources } from "../../../api/schema/resources.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { Admission } from "../access.ts";
import { forbidden } from "../errors.ts";
import type { ObjectReader } from "./objects.ts";

const plural = "runtimeclasses";

export function runtimeClasses(objects: ObjectReader): Admission {
  const isServed = resources.some((resource) => resource.plural === plural);
  return {
    admit(_, { group, resource, subresource }, { old, new: object }) {
      if (group !== "" || resource !== "pods" || subresource !== undefined) return;
      if (old !== undefined || object === undefined) return;
      const { metadata, spec } = object as Pod;
      const { runtimeClassName: name } = spec;
      if (!name || (isServed && objects.get(plural, "", name) !== undefined)) return;
      const why = `pod rejected: RuntimeClass "${name}" not found`;
      throw forbidden({ group: "", name: "pods" }, metadata.name, why);
    },
  };
}
