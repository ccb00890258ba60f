// The type table of meta/v1, one line per field. The grammar is in ../parse.ts.

export const meta = `
APIGroup kind
  name!                      1 string
  versions!                  2 [GroupVersionForDiscovery]  atomic
  preferredVersion           3 GroupVersionForDiscovery
  serverAddressByClientCIDRs 4 [ServerAddressByClientCIDR] atomic

APIGroupList kind
  groups! 1 [APIGroup] atomic

APIResource
  name!               1 string
  singularName!       6 string
  namespaced!         2 boolean
  group               8 string
  version             9 string
  kind!               3 string
  verbs!              4 Verbs
  shortNames          5 [string] atomic
  categories          7 [string] atomic
  storageVersionHash 10 string

APIResourceList kind
  groupVersion! 1 string
  resources!    2 [APIResource] atomic

APIVersions kind
  versions!                   1 [string]                    atomic
  serverAddressByClientCIDRs! 2 [ServerAddressByClientCIDR] atomic

Condition
  type!               1 string
  status!             2 string
  observedGeneration  3 int64
  lastTransitionTime! 4 time
  reason!             5 string
  message!            6 string

CreateOptions kind
  dryRun          1 [string] atomic
  fieldManager    3 string
  fieldValidation 4 string

DeleteOptions kind # How an object is to be deleted.
  gracePeriodSeconds                               1 *int64
  preconditions                                    2 *Preconditions
  orphanDependents                                 3 *boolean
  propagationPolicy                                4 *string
  dryRun                                           5 [string] atomic
  ignoreStoreReadErrorWithClusterBreakingPotential 6 *boolean

FieldSelectorRequirement
  key!      1 string
  operator! 2 string
  values    3 [string] atomic

GetOptions kind
  resourceVersion 1 string

GroupVersionForDiscovery
  groupVersion! 1 string
  version!      2 string

LabelSelector atomic # Chooses objects by their labels.
  matchLabels      1 {string}
  matchExpressions 2 [LabelSelectorRequirement] atomic

LabelSelectorRequirement
  key!      1 string
  operator! 2 string
  values    3 [string] atomic

List kind
  metadata 1 ListMeta
  items!   2 [any]

ListMeta # What a list says about itself: its revision, and whether there is more.
  selfLink           1 string
  resourceVersion    2 string
  continue           3 string
  remainingItemCount 4 *int64
  shardInfo          5 *ShardInfo

ListOptions kind
  labelSelector         1 string
  fieldSelector         2 string
  watch                 3 boolean
  allowWatchBookmarks   9 boolean
  resourceVersion       4 string
  resourceVersionMatch 10 string
  timeoutSeconds        5 *int64
  limit                 7 int64
  continue              8 string
  sendInitialEvents    11 *boolean
  shardSelector        15 string

ManagedFieldsEntry
  manager     1 string
  operation   2 string
  apiVersion  3 string
  time        4 *time
  fieldsType  6 string
  fieldsV1    7 *any
  subresource 8 string

ObjectMeta # What every stored object says about itself.
  name                        1 string
  generateName                2 string
  namespace                   3 string
  selfLink                    4 string
  uid                         5 string
  resourceVersion             6 string
  generation                  7 int64
  creationTimestamp           8 time # CreationTimestamp is a timestamp of when the server stored the object first.
  deletionTimestamp           9 *time
  deletionGracePeriodSeconds 10 *int64
  labels                     11 {string}
  annotations                12 {string}
  ownerReferences            13 [OwnerReference]     map(uid) merge(uid)
  finalizers                 14 [string]             set merge
  managedFields              17 [ManagedFieldsEntry] atomic

OwnerReference atomic
  apiVersion!        5 string
  kind!              1 string
  name!              3 string
  uid!               4 string
  controller         6 *boolean
  blockOwnerDeletion 7 *boolean

PartialObjectMetadata kind # An object without its content.
  metadata 1 ObjectMeta

PartialObjectMetadataList kind
  metadata 1 ListMeta
  items!   2 [PartialObjectMetadata]

PatchOptions kind
  dryRun          1 [string] atomic
  force           2 *boolean
  fieldManager    3 string
  fieldValidation 4 string

Preconditions
  uid             1 *string
  resourceVersion 2 *string

ServerAddressByClientCIDR
  clientCIDR!    1 string
  serverAddress! 2 string

ShardInfo
  selector! 1 string

Status kind # The outcome of a request that returns no object.
  metadata 1 ListMeta
  status   2 string
  message  3 string
  reason   4 string
  details  5 *StatusDetails
  code     6 int32

StatusCause
  reason  1 string
  message 2 string
  field   3 string

StatusDetails
  name              1 string
  group             2 string
  kind              3 string
  uid               6 string
  causes            4 [StatusCause] atomic
  retryAfterSeconds 5 int32

Table kind # Objects as rows, for printing.
  metadata           - ListMeta
  columnDefinitions! - [TableColumnDefinition] atomic
  rows!              - [TableRow]              atomic

TableColumnDefinition
  name!        - string
  type!        - string
  format!      - string
  description! - string
  priority!    - int32

TableOptions kind
  includeObject 1 string

TableRow
  cells!     - [any]               atomic
  conditions - [TableRowCondition] atomic
  object     - any

TableRowCondition
  type!   - string
  status! - string
  reason  - string
  message - string

UpdateOptions kind
  dryRun          1 [string] atomic
  fieldManager    2 string
  fieldValidation 3 string

Verbs = [string]

WatchEvent # One change, as a watch reports it.
  type!   1 string
  object! 2 any
`;
