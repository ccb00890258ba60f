// Made from the tables of src/api/schema by `make types`: change those.

export interface APIGroup {
  apiVersion?: string;
  kind?: "APIGroup";
  name: string;
  versions: GroupVersionForDiscovery[];
  preferredVersion?: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

export interface APIGroupList {
  apiVersion?: string;
  kind?: "APIGroupList";
  groups: APIGroup[];
}

export interface APIResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  group?: string;
  version?: string;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
}

export interface APIResourceList {
  apiVersion?: string;
  kind?: "APIResourceList";
  groupVersion: string;
  resources: APIResource[];
}

export interface APIVersions {
  apiVersion?: string;
  kind?: "APIVersions";
  versions: string[];
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
}

export interface Condition {
  type: string;
  status: string;
  observedGeneration?: number;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

export interface CreateOptions {
  apiVersion?: string;
  kind?: "CreateOptions";
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
}

/** How an object is to be deleted. */
export interface DeleteOptions {
  apiVersion?: string;
  kind?: "DeleteOptions";
  gracePeriodSeconds?: number;
  preconditions?: Preconditions;
  orphanDependents?: boolean;
  propagationPolicy?: string;
  dryRun?: string[];
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

export interface FieldSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

export interface GetOptions {
  apiVersion?: string;
  kind?: "GetOptions";
  resourceVersion?: string;
}

export interface GroupVersionForDiscovery {
  groupVersion: string;
  version: string;
}

/** Chooses objects by their labels. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

export interface List {
  apiVersion?: string;
  kind?: "List";
  metadata?: ListMeta;
  items: unknown[];
}

/** What a list says about itself: its revision, and whether there is more. */
export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
  shardInfo?: ShardInfo;
}

export interface ListOptions {
  apiVersion?: string;
  kind?: "ListOptions";
  labelSelector?: string;
  fieldSelector?: string;
  watch?: boolean;
  allowWatchBookmarks?: boolean;
  resourceVersion?: string;
  resourceVersionMatch?: string;
  timeoutSeconds?: number;
  limit?: number;
  continue?: string;
  sendInitialEvents?: boolean;
  shardSelector?: string;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: unknown;
  subresource?: string;
}

/** What every stored object says about itself. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  /** CreationTimestamp is a timestamp of when the server stored the object first. */
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** An object without its content. */
export interface PartialObjectMetadata {
  apiVersion?: string;
  kind?: "PartialObjectMetadata";
  metadata?: ObjectMeta;
}

export interface PartialObjectMetadataList {
  apiVersion?: string;
  kind?: "PartialObjectMetadataList";
  metadata: ListMeta;
  items: PartialObjectMetadata[];
}

export interface PatchOptions {
  apiVersion?: string;
  kind?: "PatchOptions";
  dryRun?: string[];
  force?: boolean;
  fieldManager?: string;
  fieldValidation?: string;
}

export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

export interface ServerAddressByClientCIDR {
  clientCIDR: string;
  serverAddress: string;
}

export interface ShardInfo {
  selector: string;
}

/** The outcome of a request that returns no object. */
export interface Status {
  apiVersion?: string;
  kind?: "Status";
  metadata?: ListMeta;
  status?: string;
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** Objects as rows, for printing. */
export interface Table {
  apiVersion?: string;
  kind?: "Table";
  metadata?: ListMeta;
  columnDefinitions: TableColumnDefinition[];
  rows: TableRow[];
}

export interface TableColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

export interface TableOptions {
  apiVersion?: string;
  kind?: "TableOptions";
  includeObject?: string;
}

export interface TableRow {
  cells: unknown[];
  conditions?: TableRowCondition[];
  object?: unknown;
}

export interface TableRowCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

export interface UpdateOptions {
  apiVersion?: string;
  kind?: "UpdateOptions";
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
}

/** One change, as a watch reports it. */
export interface WatchEvent {
  type: string;
  object: unknown;
}

/** The metadata of a stored object. */
export interface NamedMeta extends ObjectMeta {
  name: string;
}

/** The metadata of a stored object that lives in a namespace. */
export interface NamespacedMeta extends NamedMeta {
  namespace: string;
}
