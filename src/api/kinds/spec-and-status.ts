// Kinds with two writers: users write the spec, controllers write the status through its own path.
import type { ApiObject, Kind } from "./kind.ts";

interface SpecAndStatus extends ApiObject {
  spec?: unknown;
  status?: unknown;
}

/** Adds to a kind's rules that writers of the spec keep the status, and writers of the status the spec. */
export function specAndStatus<T extends SpecAndStatus>(
  rules: Kind<T> & {
    /** Returns the status of a new object, whatever its creator sent. */
    initialStatus: (object: T) => NonNullable<T["status"]>;
  },
): Kind<T> {
  const { initialStatus, ...kind } = rules;
  return {
    ...kind,
    prepareCreate(object, settings) {
      kind.prepareCreate?.(object, settings);
      object.status = initialStatus(object);
    },
    prepareUpdate(object, old, settings) {
      kind.prepareUpdate?.(object, old, settings);
      carryOver(object, old, "status");
    },
    prepareStatusUpdate(object, old, settings) {
      kind.prepareStatusUpdate?.(object, old, settings);
      carryOver(object, old, "spec");
    },
  };
}

function carryOver<T extends SpecAndStatus>(object: T, old: T, field: "spec" | "status"): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}
