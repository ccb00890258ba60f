// How large an object may become. Whoever stores one makes everybody read it: the cache, watchers,
// controllers. Kubernetes' limit is that of a request to etcd, which holds here for both stores.
import { collectionId } from "../keys.ts";

/** What etcd takes at most in one request, 1.5 MiB, but for the key and the comparisons. */
const largest = 1_564_672;
/** Kinds that hold nothing but structure are never nearly as large as those that hold data. */
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

/** Reading an object takes time for each field it has, with the record of their owners. */
export const mostFields = 25_000;
