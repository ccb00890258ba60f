/** The label of objects of a headless service. */
export const headlessLabel = "service.kubernetes.io/headless";
