// The largest size of an object. Everybody has to read what one client stores: the cache, watchers,
// controllers. Kubernetes' limit is that of a request to etcd, which holds here for both stores.
import { collectionId } from "../keys.ts";

/** The largest object that fits into one request to etcd: 1.5 MiB, less the key and the comparisons. */
const largest = 1_564_672;
/** The largest object of a kind that holds only structure, which is never nearly as large as data. */
const largestStructure = 524_288;

const dataKinds = new Set([
  collectionId("", "configmaps"),
  collectionId("", "secrets"),
  collectionId("", "endpoints"),
  collectionId("discovery.k8s.io", "endpointslices"),
  collectionId("apps", "controllerrevisions"),
  collectionId("apiextensions.k8s.io", "customresourcedefinitions"),
]);

export function largestOf(resource: {
  readonly collection: string;
  readonly custom: object | undefined;
}): number {
  const isData = resource.custom !== undefined || dataKinds.has(resource.collection);
  return isData ? largest : largestStructure;
}

/** The most fields of an object: the time to process one grows with its fields and their managers. */
export const mostFields = 25_000;
