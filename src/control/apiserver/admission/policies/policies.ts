// Admission policies: rules in expressions, which objects of the API define. The door of this folder.
import type { ObjectReader } from "../../security/objects.ts";
import type { AdmissionCore, DynamicAdmission } from "../dynamic.ts";
import { isExemptFromPolicies } from "../matching/matching.ts";
import { applyMutating } from "./mutate.ts";
import { mutatingHooks, validatingHooks } from "./registry.ts";
import { applyValidating } from "./validate.ts";

export function policyAdmission(objects: ObjectReader): DynamicAdmission {
  const validating = validatingHooks(objects);
  const mutating = mutatingHooks(objects);
  const context = ({ access, catalogue, settings }: AdmissionCore) => ({
    objects,
    catalogue,
    authorizer: access.authorizer ?? { authorize: () => ({ allowed: false }) },
    heavy: settings.heavyCost,
  });
  return {
    isActive: () => validating.isActive() || mutating.isActive(),
    async mutate(core, request, turn) {
      const unchanged = { object: request.object, reinvoke: false };
      if (!mutating.isActive() || isExemptFromPolicies(request)) return unchanged;
      return await applyMutating(mutating.list(), request, { ...context(core), turn });
    },
    async validate(core, request) {
      if (!validating.isActive() || isExemptFromPolicies(request)) return;
      await applyValidating(validating.list(), request, context(core));
    },
  };
}
