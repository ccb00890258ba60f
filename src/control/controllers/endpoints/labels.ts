// How slices say whose they are.

export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const headlessLabel = "service.kubernetes.io/headless";

/** Who writes slices here; others leave alone what does not carry their own name. */
export const selectorManager = "endpointslice-controller.k8s.io";
export const mirrorManager = "endpointslicemirroring-controller.k8s.io";
