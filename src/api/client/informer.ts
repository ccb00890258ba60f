// Informers: caches of API objects that follow a watch, with indexes.

export { Collection, type CollectionParts } from "./informer/collection.ts";
export { Follow } from "./informer/follow.ts";
export { byNamespace, byNode, byOwner } from "./informer/indexes.ts";
export { Informer, type InformerSettings, type KeySource } from "./informer/informer.ts";
export { Informers } from "./informer/informers.ts";
export { type Index, ObjectCache } from "./informer/object-cache.ts";
