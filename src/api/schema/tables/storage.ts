// The type table of storage.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const storage = `
CSIDriver kind # What a storage driver needs and can do.
  metadata 1 meta.ObjectMeta
  spec!    2 CSIDriverSpec default({})

CSIDriverList kind
  metadata 1 meta.ListMeta
  items!   2 [CSIDriver]

CSIDriverSpec
  attachRequired                      1 *boolean       default(true) immutable
  podInfoOnMount                      2 *boolean       default(false)
  volumeLifecycleModes                3 [string]       set enum(Ephemeral|Persistent) default(["Persistent"]) immutable
  storageCapacity                     4 *boolean       default(false)
  fsGroupPolicy                       5 *string        enum(File|None|ReadWriteOnceWithFSType) default(ReadWriteOnceWithFSType)
  tokenRequests                       6 [TokenRequest] atomic
  requiresRepublish                   7 *boolean       default(false)
  seLinuxMount                        8 *boolean       default(false)
  nodeAllocatableUpdatePeriodSeconds  9 *int64
  serviceAccountTokenInSecrets       10 *boolean
  preventPodSchedulingIfMissing      11 *boolean

CSINode kind # The storage drivers of a node.
  metadata 1 meta.ObjectMeta
  spec!    2 CSINodeSpec default({})

CSINodeDriver
  name!        1 string   present
  nodeID!      2 string   present longest(192)
  topologyKeys 3 [string] atomic
  allocatable  4 *VolumeNodeResources

CSINodeList kind
  metadata 1 meta.ListMeta
  items!   2 [CSINode]

CSINodeSpec
  drivers! 1 [CSINodeDriver] map(name) merge(name)

CSIStorageCapacity kind # How much storage of a class is left in one place.
  metadata          1 meta.ObjectMeta
  nodeTopology      2 *meta.LabelSelector immutable
  storageClassName! 3 string              present name(dnsSubdomain) immutable
  capacity          4 *quantity
  maximumVolumeSize 5 *quantity

CSIStorageCapacityList kind
  metadata 1 meta.ListMeta
  items!   2 [CSIStorageCapacity]

StorageClass kind # How volumes are made for claims that name it.
  metadata             1 meta.ObjectMeta
  provisioner!         2 string                      present
  parameters           3 {string}
  reclaimPolicy        4 *string                     enum(Delete|Recycle|Retain) default(Delete)
  mountOptions         5 [string]                    atomic
  allowVolumeExpansion 6 *boolean
  volumeBindingMode    7 *string                     enum(Immediate|WaitForFirstConsumer) default(Immediate) immutable
  allowedTopologies    8 [core.TopologySelectorTerm] atomic

StorageClassList kind
  metadata 1 meta.ListMeta
  items!   2 [StorageClass]

TokenRequest
  audience!         1 string
  expirationSeconds 2 *int64 min(600)

VolumeAttachment kind # The wish that a volume is attached to a node.
  metadata 1 meta.ObjectMeta
  spec!    2 VolumeAttachmentSpec immutable default({})
  status   3 VolumeAttachmentStatus

VolumeAttachmentList kind
  metadata 1 meta.ListMeta
  items!   2 [VolumeAttachment]

VolumeAttachmentSource
  persistentVolumeName 1 *string
  inlineVolumeSpec     2 *core.PersistentVolumeSpec

VolumeAttachmentSpec
  attacher! 1 string                 present
  source!   2 VolumeAttachmentSource default({})
  nodeName! 3 string                 present name(dnsSubdomain)

VolumeAttachmentStatus
  attached!          1 boolean
  attachmentMetadata 2 {string}
  attachError        3 *VolumeError
  detachError        4 *VolumeError

VolumeAttributesClass kind # Changeable traits of volumes, by name.
  metadata    1 meta.ObjectMeta
  driverName! 2 string   present immutable
  parameters  3 {string} immutable

VolumeAttributesClassList kind
  metadata 1 meta.ListMeta
  items!   2 [VolumeAttributesClass]

VolumeError
  time      1 time
  message   2 string
  errorCode 3 *int32

VolumeNodeResources
  count 1 *int32 min(0)
`;
