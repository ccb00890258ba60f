// The service of an EndpointSlice, and whether Tandem's data plane uses the slice for it.
import type { Service } from "../../types/core.ts";
import type { EndpointSlice } from "../../types/discovery.ts";

/** The label by which every Kubernetes client finds the slices of a service. */
export const serviceNameLabel = "kubernetes.io/service-name";
/** The label of slices in a family that only `endpointFamily` adds: no other client counts those. */
export const furtherFamilyLabel = "tandem.internal/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const proxyNameLabel = "service.kubernetes.io/service-proxy-name";

export const selectorManager = "endpointslice-controller.k8s.io";
export const mirrorManager = "endpointslicemirroring-controller.k8s.io";
/** The manager of slices under our own label; a stock controller deletes what carries its name. */
export const furtherFamilyManager = "endpointslice-controller.tandem.internal";

const builtInManagers: readonly string[] = [selectorManager, mirrorManager, furtherFamilyManager];

/** Returns the `namespace/name` of the service, from either label. */
export function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const { [serviceNameLabel]: usual, [furtherFamilyLabel]: further } = metadata.labels ?? {};
  const name = usual || further;
  return name ? `${metadata.namespace}/${name}` : undefined;
}

/** Returns the service key as a list, the form that cache indexes take. */
export function serviceKeysOf(slice: EndpointSlice): readonly string[] {
  const key = serviceKeyOf(slice);
  return key === undefined ? [] : [key];
}

/**
 * Whether proxy, DNS, ingress and load balancers use the slice. Addresses that another service
 * controller claims are in slices of its own, and behind a service with a selector they would mix with
 * ours. A service without a selector has whatever slices somebody makes for it.
 */
export function isCounted({ metadata: { labels = {} } }: EndpointSlice, service: Service): boolean {
  const proxy = labels[proxyNameLabel];
  // Built-in controllers copy the labels of the service.
  if (proxy !== undefined && proxy !== service.metadata.labels?.[proxyNameLabel]) return false;
  const hasSelector = Object.keys(service.spec.selector ?? {}).length > 0;
  return !hasSelector || builtInManagers.includes(labels[managedByLabel] ?? "");
}

/** Returns the labels that `serviceKeyOf` and `isCounted` look at. */
export function decidingLabels(slice: EndpointSlice): Record<string, string> {
  const deciding = [serviceNameLabel, furtherFamilyLabel, managedByLabel, proxyNameLabel];
  const { labels = {} } = slice.metadata;
  return Object.fromEntries(
    deciding.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])),
  );
}
