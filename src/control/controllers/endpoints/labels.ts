/** Marks what belongs to a service without a cluster IP. */
export const headlessLabel = "service.kubernetes.io/headless";
