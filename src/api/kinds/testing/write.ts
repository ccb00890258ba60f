// Writes as the server makes them, for tests of kinds: the same steps in the same order.
import type { FieldError } from "../../fields/field-error.ts";
import type { ApiObject, ClusterSettings, Kind, WriteContext } from "../kind.ts";
import { validateMetadata } from "../metadata.ts";

export const settings: ClusterSettings = {
  serviceCidrs: ["10.96.0.0/16"],
  now: () => new Date("2024-06-01T12:00:00Z"),
};

/** Changes the object into the one that would be stored; returns what is wrong with it. */
export function create<T extends ApiObject>(kind: Kind<T>, object: T): FieldError[] {
  kind.default?.(object);
  const outcome = kind.reconcile?.(object, { settings });
  kind.prepareCreate?.(object, settings);
  return [
    ...(outcome?.errors ?? []),
    ...validateMetadata(object.metadata ?? {}, { name: kind.name }),
    ...(kind.validate?.(object, settings) ?? []),
  ];
}

export function update<T extends ApiObject>(
  kind: Kind<T>,
  object: T,
  context: Omit<WriteContext<T>, "settings"> & { readonly old: T },
): FieldError[] {
  const { old, subresource } = context;
  const isStatus = subresource === "status";
  kind.default?.(object);
  const outcome = kind.reconcile?.(object, { ...context, settings });
  if (isStatus) kind.prepareStatusUpdate?.(object, old, settings);
  else kind.prepareUpdate?.(object, old, settings);
  const more = isStatus
    ? kind.validateStatusUpdate?.(object, old, settings)
    : kind.validateUpdate?.(object, old, settings);
  return [
    ...(outcome?.errors ?? []),
    ...validateMetadata(object.metadata ?? {}, { old: old.metadata }),
    ...(kind.validate?.(object, settings) ?? []),
    ...(more ?? []),
  ];
}
