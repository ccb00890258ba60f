// Selects the Ingresses of this controller: those of its classes, and those without a class if one of its
// classes is the default.

import type { Ingress, IngressClass } from "../../../api/types/networking.ts";

export interface ClassSettings {
  /** The controller name in `spec.controller` of our IngressClasses. */
  readonly controller: string;
  /** The only class to serve, of several that name the controller. */
  readonly className: string | undefined;
}

const legacyAnnotation = "kubernetes.io/ingress.class";
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

export function ourIngresses(
  ingresses: readonly Ingress[],
  classes: readonly IngressClass[],
  { controller, className }: ClassSettings,
): Ingress[] {
  const ours = classes.filter(
    ({ metadata, spec }) =>
      spec.controller === controller && (className ?? metadata.name) === metadata.name,
  );
  const names = new Set(ours.map(({ metadata }) => metadata.name));
  const isDefault = ours.some(
    ({ metadata }) => metadata.annotations?.[defaultAnnotation] === "true",
  );
  const others = new Set(classes.map(({ metadata }) => metadata.name));
  return ingresses.filter(({ metadata, spec }) => {
    if (metadata.deletionTimestamp !== undefined) return false;
    if (spec.ingressClassName !== undefined) return names.has(spec.ingressClassName);
    const legacy = metadata.annotations?.[legacyAnnotation];
    if (legacy === undefined || legacy === "") return isDefault;
    // The legacy annotation may name a class that has no object.
    return names.has(legacy) || (legacy === className && !others.has(legacy));
  });
}
