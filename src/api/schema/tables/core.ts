// The type table of core/v1, one line per field. The grammar is in ../parse.ts.

export const core = `
AWSElasticBlockStoreVolumeSource
  volumeID! 1 string
  fsType    2 string
  partition 3 int32
  readOnly  4 boolean

Affinity
  nodeAffinity    1 *NodeAffinity
  podAffinity     2 *PodAffinity
  podAntiAffinity 3 *PodAntiAffinity

AppArmorProfile
  type!            1 string known(Localhost|RuntimeDefault|Unconfined)
  localhostProfile 2 *string

AttachedVolume
  name!       1 string
  devicePath! 2 string

AzureDiskVolumeSource
  diskName!   1 string
  diskURI!    2 string
  cachingMode 3 *string default(ReadWrite) known(None|ReadOnly|ReadWrite)
  fsType      4 *string default(ext4)
  readOnly    5 *boolean
  kind        6 *string default(Shared) known(Dedicated|Managed|Shared)

AzureFilePersistentVolumeSource
  secretName!     1 string
  shareName!      2 string
  readOnly        3 boolean
  secretNamespace 4 *string

AzureFileVolumeSource
  secretName! 1 string
  shareName!  2 string
  readOnly    3 boolean

Binding kind # Ties a pod to the node that shall run it.
  metadata 1 meta.ObjectMeta
  target!  2 ObjectReference

CSIPersistentVolumeSource
  driver!                     1 string
  volumeHandle!               2 string
  readOnly                    3 boolean
  fsType                      4 string
  volumeAttributes            5 {string}
  controllerPublishSecretRef  6 *SecretReference
  nodeStageSecretRef          7 *SecretReference
  nodePublishSecretRef        8 *SecretReference
  controllerExpandSecretRef   9 *SecretReference
  nodeExpandSecretRef        10 *SecretReference

CSIVolumeSource
  driver!              1 string
  readOnly             2 *boolean
  fsType               3 *string
  volumeAttributes     4 {string}
  nodePublishSecretRef 5 *LocalObjectReference

Capabilities
  add  1 [string] atomic
  drop 2 [string] atomic

CephFSPersistentVolumeSource
  monitors!  1 [string] atomic
  path       2 string
  user       3 string
  secretFile 4 string
  secretRef  5 *SecretReference
  readOnly   6 boolean

CephFSVolumeSource
  monitors!  1 [string] atomic
  path       2 string
  user       3 string
  secretFile 4 string
  secretRef  5 *LocalObjectReference
  readOnly   6 boolean

CinderPersistentVolumeSource
  volumeID! 1 string
  fsType    2 string
  readOnly  3 boolean
  secretRef 4 *SecretReference

CinderVolumeSource
  volumeID! 1 string
  fsType    2 string
  readOnly  3 boolean
  secretRef 4 *LocalObjectReference

ClientIPConfig
  timeoutSeconds 1 *int32

ClusterTrustBundleProjection
  name          1 *string
  signerName    2 *string
  labelSelector 3 *meta.LabelSelector
  optional      5 *boolean
  path!         4 string

ConfigMap kind # Settings that pods read.
  metadata   1 meta.ObjectMeta
  immutable  4 *boolean
  data       2 {string}
  binaryData 3 {bytes}

ConfigMapEnvSource
  ...      1 LocalObjectReference
  optional 2 *boolean

ConfigMapKeySelector atomic
  ...      1 LocalObjectReference
  key!     2 string
  optional 3 *boolean

ConfigMapList kind
  metadata 1 meta.ListMeta
  items!   2 [ConfigMap]

ConfigMapNodeConfigSource
  namespace!        1 string
  name!             2 string
  uid               3 string
  resourceVersion   4 string
  kubeletConfigKey! 5 string

ConfigMapProjection
  ...      1 LocalObjectReference
  items    2 [KeyToPath] atomic
  optional 4 *boolean

ConfigMapVolumeSource
  ...         1 LocalObjectReference
  items       2 [KeyToPath] atomic
  defaultMode 3 *int32      default(420)
  optional    4 *boolean

Container
  name!                     1 string
  image                     2 string
  command                   3 [string]                atomic
  args                      4 [string]                atomic
  workingDir                5 string
  ports                     6 [ContainerPort]         map(containerPort,protocol) merge(containerPort)
  envFrom                  19 [EnvFromSource]         atomic
  env                       7 [EnvVar]                map(name) merge(name)
  resources                 8 ResourceRequirements    default({})
  resizePolicy             23 [ContainerResizePolicy] atomic
  restartPolicy            24 *string
  restartPolicyRules       25 [ContainerRestartRule]  atomic
  volumeMounts              9 [VolumeMount]           map(mountPath) merge(mountPath)
  volumeDevices            21 [VolumeDevice]          map(devicePath) merge(devicePath)
  livenessProbe            10 *Probe
  readinessProbe           11 *Probe
  startupProbe             22 *Probe
  lifecycle                12 *Lifecycle
  terminationMessagePath   13 string                  default(/dev/termination-log)
  terminationMessagePolicy 20 string                  default(File) enum(File|FallbackToLogsOnError)
  imagePullPolicy          14 string                  enum(Always|IfNotPresent|Never)
  securityContext          15 *SecurityContext
  stdin                    16 boolean
  stdinOnce                17 boolean
  tty                      18 boolean

ContainerExtendedResourceRequest
  containerName! 1 string
  resourceName!  2 string
  requestName!   3 string

ContainerImage
  names     1 [string] atomic
  sizeBytes 2 int64

ContainerPort
  name           1 string
  hostPort       2 int32
  containerPort! 3 int32
  protocol       4 string default(TCP) enum(SCTP|TCP|UDP)
  hostIP         5 string

ContainerResizePolicy
  resourceName!  1 string
  restartPolicy! 2 string

ContainerRestartRule
  action!   1 string
  exitCodes 2 *ContainerRestartRuleOnExitCodes

ContainerRestartRuleOnExitCodes
  operator! 1 string
  values    2 [int32] set

ContainerState
  waiting    1 *ContainerStateWaiting
  running    2 *ContainerStateRunning
  terminated 3 *ContainerStateTerminated

ContainerStateRunning
  startedAt 1 time

ContainerStateTerminated
  exitCode!   1 int32
  signal      2 int32
  reason      3 string
  message     4 string
  startedAt   5 time
  finishedAt  6 time
  containerID 7 string

ContainerStateWaiting
  reason  1 string
  message 2 string

ContainerStatus
  name!                     1 string
  state                     2 ContainerState
  lastState                 3 ContainerState
  ready!                    4 boolean
  restartCount!             5 int32
  image!                    6 string
  imageID!                  7 string
  containerID               8 string
  started                   9 *boolean
  allocatedResources       10 {quantity}
  resources                11 *ResourceRequirements
  volumeMounts             12 [VolumeMountStatus] map(mountPath) merge(mountPath)
  user                     13 *ContainerUser
  allocatedResourcesStatus 14 [ResourceStatus]    map(name) merge(name)
  stopSignal               15 *string

ContainerUser
  linux 1 *LinuxContainerUser

DaemonEndpoint
  Port! 1 int32

DownwardAPIProjection
  items 1 [DownwardAPIVolumeFile] atomic

DownwardAPIVolumeFile
  path!            1 string
  fieldRef         2 *ObjectFieldSelector
  resourceFieldRef 3 *ResourceFieldSelector
  mode             4 *int32

DownwardAPIVolumeSource
  items       1 [DownwardAPIVolumeFile] atomic
  defaultMode 2 *int32                  default(420)

EmptyDirVolumeSource
  medium    1 string
  sizeLimit 2 *quantity

EndpointAddress atomic
  ip!       1 string
  ips       5 [string] atomic # All addresses of this backend, at most one per family; the first equals ip.
  hostname  3 string
  nodeName  4 *string
  targetRef 2 *ObjectReference

EndpointPort atomic
  name        1 string
  port!       2 int32
  protocol    3 string known(SCTP|TCP|UDP) default(TCP)
  appProtocol 4 *string

EndpointSubset
  addresses         1 [EndpointAddress] atomic
  notReadyAddresses 2 [EndpointAddress] atomic
  ports             3 [EndpointPort]    atomic

Endpoints kind # The addresses and ports behind a service; a dual-stack backend is one entry with a pair of addresses.
  metadata 1 meta.ObjectMeta
  subsets  2 [EndpointSubset] atomic

EndpointsList kind
  metadata 1 meta.ListMeta
  items!   2 [Endpoints]

EnvFromSource
  prefix       1 string
  configMapRef 2 *ConfigMapEnvSource
  secretRef    3 *SecretEnvSource

EnvVar
  name!     1 string
  value     2 string
  valueFrom 3 *EnvVarSource

EnvVarSource
  fieldRef         1 *ObjectFieldSelector
  resourceFieldRef 2 *ResourceFieldSelector
  configMapKeyRef  3 *ConfigMapKeySelector
  secretKeyRef     4 *SecretKeySelector
  fileKeyRef       5 *FileKeySelector

EphemeralContainer
  ...                 1 EphemeralContainerCommon
  targetContainerName 2 string

EphemeralContainerCommon
  name!                     1 string
  image                     2 string
  command                   3 [string]                atomic
  args                      4 [string]                atomic
  workingDir                5 string
  ports                     6 [ContainerPort]         map(containerPort,protocol) merge(containerPort)
  envFrom                  19 [EnvFromSource]         atomic
  env                       7 [EnvVar]                map(name) merge(name)
  resources                 8 ResourceRequirements    default({})
  resizePolicy             23 [ContainerResizePolicy] atomic
  restartPolicy            24 *string
  restartPolicyRules       25 [ContainerRestartRule]  atomic
  volumeMounts              9 [VolumeMount]           map(mountPath) merge(mountPath)
  volumeDevices            21 [VolumeDevice]          map(devicePath) merge(devicePath)
  livenessProbe            10 *Probe
  readinessProbe           11 *Probe
  startupProbe             22 *Probe
  lifecycle                12 *Lifecycle
  terminationMessagePath   13 string                  default(/dev/termination-log)
  terminationMessagePolicy 20 string                  default(File) enum(File|FallbackToLogsOnError)
  imagePullPolicy          14 string                  enum(Always|IfNotPresent|Never)
  securityContext          15 *SecurityContext
  stdin                    16 boolean
  stdinOnce                17 boolean
  tty                      18 boolean

EphemeralVolumeSource
  volumeClaimTemplate 1 *PersistentVolumeClaimTemplate

Event kind # Something that happened to an object, for people to read.
  metadata!           1 meta.ObjectMeta
  involvedObject!     2 ObjectReference
  reason              3 string
  message             4 string
  source              5 EventSource
  firstTimestamp      6 time
  lastTimestamp       7 time
  count               8 int32
  type                9 string
  eventTime          10 microTime
  series             11 *EventSeries
  action             12 string
  related            13 *ObjectReference
  reportingComponent 14 string
  reportingInstance  15 string

EventList kind
  metadata 1 meta.ListMeta
  items!   2 [Event]

EventSeries
  count            1 int32
  lastObservedTime 2 microTime

EventSource
  component 1 string
  host      2 string

ExecAction
  command 1 [string] atomic

FCVolumeSource
  targetWWNs 1 [string] atomic
  lun        2 *int32
  fsType     3 string
  readOnly   4 boolean
  wwids      5 [string] atomic

FileKeySelector atomic
  volumeName! 1 string
  path!       2 string
  key!        3 string
  optional    4 *boolean

FlexPersistentVolumeSource
  driver!   1 string
  fsType    2 string
  secretRef 3 *SecretReference
  readOnly  4 boolean
  options   5 {string}

FlexVolumeSource
  driver!   1 string
  fsType    2 string
  secretRef 3 *LocalObjectReference
  readOnly  4 boolean
  options   5 {string}

FlockerVolumeSource
  datasetName 1 string
  datasetUUID 2 string

GCEPersistentDiskVolumeSource
  pdName!   1 string
  fsType    2 string
  partition 3 int32
  readOnly  4 boolean

GRPCAction
  port!   1 int32
  service 2 *string default()

GitRepoVolumeSource
  repository! 1 string
  revision    2 string
  directory   3 string

GlusterfsPersistentVolumeSource
  endpoints!         1 string
  path!              2 string
  readOnly           3 boolean
  endpointsNamespace 4 *string

GlusterfsVolumeSource
  endpoints! 1 string
  path!      2 string
  readOnly   3 boolean

HTTPGetAction
  path        1 string       default(/)
  port!       2 intOrString
  host        3 string
  scheme      4 string       enum(HTTP|HTTPS) default(HTTP)
  httpHeaders 5 [HTTPHeader] atomic

HTTPHeader
  name!  1 string
  value! 2 string

HostAlias
  ip!       1 string
  hostnames 2 [string] atomic

HostIP
  ip! 1 string

HostPathVolumeSource
  path! 1 string
  type  2 *string enum(|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket) default()

ISCSIPersistentVolumeSource
  targetPortal!      1 string
  iqn!               2 string
  lun!               3 int32
  iscsiInterface     4 string   default(default)
  fsType             5 string
  readOnly           6 boolean
  portals            7 [string] atomic
  chapAuthDiscovery  8 boolean
  chapAuthSession   11 boolean
  secretRef         10 *SecretReference
  initiatorName     12 *string

ISCSIVolumeSource
  targetPortal!      1 string
  iqn!               2 string
  lun!               3 int32
  iscsiInterface     4 string   default(default)
  fsType             5 string
  readOnly           6 boolean
  portals            7 [string] atomic
  chapAuthDiscovery  8 boolean
  chapAuthSession   11 boolean
  secretRef         10 *LocalObjectReference
  initiatorName     12 *string

ImageVolumeSource
  reference  1 string
  pullPolicy 2 string known(Always|IfNotPresent|Never)

ImageVolumeStatus
  imageRef! 1 string

KeyToPath
  key!  1 string
  path! 2 string
  mode  3 *int32

Lifecycle
  postStart  1 *LifecycleHandler
  preStop    2 *LifecycleHandler
  stopSignal 3 *string

LifecycleHandler
  exec      1 *ExecAction
  httpGet   2 *HTTPGetAction
  tcpSocket 3 *TCPSocketAction
  sleep     4 *SleepAction

LimitRange kind # Defaults and bounds of what pods, containers and claims may ask for in a namespace.
  metadata 1 meta.ObjectMeta
  spec     2 LimitRangeSpec default({"limits":[]})

LimitRangeItem
  type!                1 string present default()
  max                  2 {quantity}
  min                  3 {quantity}
  default              4 {quantity}
  defaultRequest       5 {quantity}
  maxLimitRequestRatio 6 {quantity}

LimitRangeList kind
  metadata 1 meta.ListMeta
  items!   2 [LimitRange]

LimitRangeSpec
  limits! 1 [LimitRangeItem] atomic

LinuxContainerUser
  uid!               1 int64
  gid!               2 int64
  supplementalGroups 3 [int64] atomic

LoadBalancerIngress
  ip       1 string
  hostname 2 string
  ipMode   3 *string
  ports    4 [PortStatus] atomic

LoadBalancerStatus
  ingress 1 [LoadBalancerIngress] atomic

LocalObjectReference atomic
  name 1 string

LocalVolumeSource
  path!  1 string
  fsType 2 *string

ModifyVolumeStatus
  targetVolumeAttributesClassName 1 string
  status!                         2 string known(InProgress|Infeasible|Pending)

NFSVolumeSource
  server!  1 string
  path!    2 string
  readOnly 3 boolean

Namespace kind # A scope for names, and the unit that goes away as a whole.
  metadata 1 meta.ObjectMeta
  spec     2 NamespaceSpec
  status   3 NamespaceStatus

NamespaceCondition
  type!              1 string
  status!            2 string
  lastTransitionTime 4 time
  reason             5 string
  message            6 string

NamespaceList kind
  metadata 1 meta.ListMeta
  items!   2 [Namespace]

NamespaceSpec
  finalizers 1 [string] atomic

NamespaceStatus
  phase      1 string               known(Active|Terminating)
  conditions 2 [NamespaceCondition] map(type) merge(type)

Node kind # A machine, or a namespace that stands for one, on which pods run.
  metadata 1 meta.ObjectMeta
  spec     2 NodeSpec
  status   3 NodeStatus

NodeAddress
  type!    1 string
  address! 2 string

NodeAffinity
  requiredDuringSchedulingIgnoredDuringExecution  1 *NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution 2 [PreferredSchedulingTerm] atomic

NodeAllocatableResourceClaimStatus
  resourceClaimName! 1 string
  containers         2 [string] set
  resources!         3 {quantity}

NodeCondition
  type!              1 string
  status!            2 string
  lastHeartbeatTime  3 time
  lastTransitionTime 4 time
  reason             5 string
  message            6 string

NodeConfigSource
  configMap 2 *ConfigMapNodeConfigSource

NodeConfigStatus
  assigned      1 *NodeConfigSource
  active        2 *NodeConfigSource
  lastKnownGood 3 *NodeConfigSource
  error         4 string

NodeDaemonEndpoints
  kubeletEndpoint 1 DaemonEndpoint

NodeFeatures
  supplementalGroupsPolicy 1 *boolean

NodeList kind
  metadata 1 meta.ListMeta
  items!   2 [Node]

NodeProxyOptions kind
  path 1 string

NodeRuntimeHandler
  name     1 string
  features 2 *NodeRuntimeHandlerFeatures

NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts 1 *boolean
  userNamespaces          2 *boolean

NodeSelector atomic
  nodeSelectorTerms! 1 [NodeSelectorTerm] atomic

NodeSelectorRequirement
  key!      1 string
  operator! 2 string   known(DoesNotExist|Exists|Gt|In|Lt|NotIn)
  values    3 [string] atomic

NodeSelectorTerm atomic
  matchExpressions 1 [NodeSelectorRequirement] atomic
  matchFields      2 [NodeSelectorRequirement] atomic

NodeSpec
  podCIDR       1 string
  podCIDRs      7 [string] set merge
  providerID    3 string
  unschedulable 4 boolean
  taints        5 [Taint]  atomic
  configSource  6 *NodeConfigSource
  externalID    2 string

NodeStatus
  capacity          1 {quantity}
  allocatable       2 {quantity}
  phase             3 string               known(Pending|Running|Terminated)
  conditions        4 [NodeCondition]      map(type) merge(type)
  addresses         5 [NodeAddress]        map(type) merge(type)
  daemonEndpoints   6 NodeDaemonEndpoints
  nodeInfo          7 NodeSystemInfo
  images            8 [ContainerImage]     atomic
  volumesInUse      9 [string]             atomic
  volumesAttached  10 [AttachedVolume]     atomic
  config           11 *NodeConfigStatus
  runtimeHandlers  12 [NodeRuntimeHandler] atomic
  features         13 *NodeFeatures
  declaredFeatures 14 [string]             atomic

NodeSwapStatus
  capacity 1 *int64

NodeSystemInfo
  machineID!                1 string
  systemUUID!               2 string
  bootID!                   3 string
  kernelVersion!            4 string
  osImage!                  5 string
  containerRuntimeVersion!  6 string
  kubeletVersion!           7 string
  kubeProxyVersion!         8 string
  operatingSystem!          9 string
  architecture!            10 string
  swap                     11 *NodeSwapStatus

ObjectFieldSelector atomic
  apiVersion 1 string default(v1)
  fieldPath! 2 string

ObjectReference atomic
  kind            1 string
  namespace       2 string
  name            3 string
  uid             4 string
  apiVersion      5 string
  resourceVersion 6 string
  fieldPath       7 string

PersistentVolume kind # A piece of storage that claims are bound to.
  metadata 1 meta.ObjectMeta
  spec     2 PersistentVolumeSpec default({})
  status   3 PersistentVolumeStatus

PersistentVolumeClaim kind
  metadata 1 meta.ObjectMeta
  spec     2 PersistentVolumeClaimSpec default({})
  status   3 PersistentVolumeClaimStatus

PersistentVolumeClaimCondition
  type!              1 string
  status!            2 string
  lastProbeTime      3 time
  lastTransitionTime 4 time
  reason             5 string
  message            6 string

PersistentVolumeClaimList kind
  metadata 1 meta.ListMeta
  items!   2 [PersistentVolumeClaim]

PersistentVolumeClaimSpec
  accessModes               1 [string] atomic known(ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod)
  selector                  4 *meta.LabelSelector
  resources                 2 VolumeResourceRequirements
  volumeName                3 string
  storageClassName          5 *string
  volumeMode                6 *string  enum(Block|Filesystem) default(Filesystem)
  dataSource                7 *TypedLocalObjectReference
  dataSourceRef             8 *TypedObjectReference
  volumeAttributesClassName 9 *string

PersistentVolumeClaimStatus
  phase                            1 string                           known(Bound|Lost|Pending)
  accessModes                      2 [string]                         atomic known(ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod)
  capacity                         3 {quantity}
  conditions                       4 [PersistentVolumeClaimCondition] map(type) merge(type)
  allocatedResources               5 {quantity}
  allocatedResourceStatuses        7 {string}
  currentVolumeAttributesClassName 8 *string
  modifyVolumeStatus               9 *ModifyVolumeStatus

PersistentVolumeClaimTemplate
  metadata 1 meta.ObjectMeta
  spec!    2 PersistentVolumeClaimSpec

PersistentVolumeClaimVolumeSource
  claimName! 1 string
  readOnly   2 boolean

PersistentVolumeList kind
  metadata 1 meta.ListMeta
  items!   2 [PersistentVolume]

PersistentVolumeSource
  gcePersistentDisk     1 *GCEPersistentDiskVolumeSource
  awsElasticBlockStore  2 *AWSElasticBlockStoreVolumeSource
  hostPath              3 *HostPathVolumeSource
  glusterfs             4 *GlusterfsPersistentVolumeSource
  nfs                   5 *NFSVolumeSource
  rbd                   6 *RBDPersistentVolumeSource
  iscsi                 7 *ISCSIPersistentVolumeSource
  cinder                8 *CinderPersistentVolumeSource
  cephfs                9 *CephFSPersistentVolumeSource
  fc                   10 *FCVolumeSource
  flocker              11 *FlockerVolumeSource
  flexVolume           12 *FlexPersistentVolumeSource
  azureFile            13 *AzureFilePersistentVolumeSource
  vsphereVolume        14 *VsphereVirtualDiskVolumeSource
  quobyte              15 *QuobyteVolumeSource
  azureDisk            16 *AzureDiskVolumeSource
  photonPersistentDisk 17 *PhotonPersistentDiskVolumeSource
  portworxVolume       18 *PortworxVolumeSource
  scaleIO              19 *ScaleIOPersistentVolumeSource
  local                20 *LocalVolumeSource
  storageos            21 *StorageOSPersistentVolumeSource
  csi                  22 *CSIPersistentVolumeSource

PersistentVolumeSpec
  capacity                       1 {quantity}
  ...                            2 PersistentVolumeSource
  accessModes                    3 [string] atomic present known(ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod)
  claimRef                       4 *ObjectReference
  persistentVolumeReclaimPolicy  5 string   enum(Delete|Recycle|Retain) default(Retain)
  storageClassName               6 string
  mountOptions                   7 [string] atomic
  volumeMode                     8 *string  enum(Block|Filesystem) default(Filesystem) immutable
  nodeAffinity                   9 *VolumeNodeAffinity
  volumeAttributesClassName     10 *string

PersistentVolumeStatus
  phase                   1 string known(Available|Bound|Failed|Pending|Released)
  message                 2 string
  reason                  3 string
  lastPhaseTransitionTime 4 *time

PhotonPersistentDiskVolumeSource
  pdID!  1 string
  fsType 2 string

Pod kind # Containers that run together on one node and share one network namespace and its addresses.
  metadata 1 meta.ObjectMeta
  spec     2 PodSpec
  status   3 PodStatus

PodAffinity
  requiredDuringSchedulingIgnoredDuringExecution  1 [PodAffinityTerm]         atomic
  preferredDuringSchedulingIgnoredDuringExecution 2 [WeightedPodAffinityTerm] atomic

PodAffinityTerm
  labelSelector     1 *meta.LabelSelector
  namespaces        2 [string] atomic
  topologyKey!      3 string
  namespaceSelector 4 *meta.LabelSelector
  matchLabelKeys    5 [string] atomic
  mismatchLabelKeys 6 [string] atomic

PodAntiAffinity
  requiredDuringSchedulingIgnoredDuringExecution  1 [PodAffinityTerm]         atomic
  preferredDuringSchedulingIgnoredDuringExecution 2 [WeightedPodAffinityTerm] atomic

PodAttachOptions kind
  stdin     1 boolean
  stdout    2 boolean
  stderr    3 boolean
  tty       4 boolean
  container 5 string

PodCertificateProjection
  signerName!          1 string
  keyType!             2 string
  maxExpirationSeconds 3 *int32
  credentialBundlePath 4 string
  keyPath              5 string
  certificateChainPath 6 string
  userAnnotations      7 {string}

PodCondition
  type!              1 string
  observedGeneration 7 int64
  status!            2 string
  lastProbeTime      3 time
  lastTransitionTime 4 time
  reason             5 string
  message            6 string

PodDNSConfig
  nameservers 1 [string]             atomic
  searches    2 [string]             atomic
  options     3 [PodDNSConfigOption] atomic

PodDNSConfigOption
  name  1 string
  value 2 *string

PodExecOptions kind
  stdin     1 boolean
  stdout    2 boolean
  stderr    3 boolean
  tty       4 boolean
  container 5 string
  command!  6 [string] atomic

PodExtendedResourceClaimStatus
  requestMappings!   1 [ContainerExtendedResourceRequest] atomic
  resourceClaimName! 2 string

PodIP
  ip!        1 string # An address of the pod, in canonical form.
  properties 2 {string} # What is known about this address, such as the controller that claims it or the network it belongs to.

PodList kind
  metadata 1 meta.ListMeta
  items!   2 [Pod]

PodLogOptions kind
  container                     1 string
  follow                        2 boolean
  previous                      3 boolean
  sinceSeconds                  4 *int64
  sinceTime                     5 *time
  timestamps                    6 boolean
  tailLines                     7 *int64
  limitBytes                    8 *int64
  insecureSkipTLSVerifyBackend  9 boolean
  stream                       10 *string

PodOS
  name! 1 string

PodPortForwardOptions kind
  ports 1 [int32] atomic

PodProxyOptions kind
  path 1 string

PodReadinessGate
  conditionType! 1 string name(qualifiedName)

PodResourceClaim
  name!                     1 string
  resourceClaimName         3 *string
  resourceClaimTemplateName 4 *string

PodResourceClaimStatus
  name!             1 string
  resourceClaimName 2 *string

PodSchedulingGate
  name! 1 string

PodSchedulingGroup
  podGroupName 1 *string

PodSecurityContext
  seLinuxOptions            1 *SELinuxOptions
  windowsOptions            8 *WindowsSecurityContextOptions
  runAsUser                 2 *int64   range(0,2147483647)
  runAsGroup                6 *int64   range(0,2147483647)
  runAsNonRoot              3 *boolean
  supplementalGroups        4 [int64]  atomic range(0,2147483647)
  supplementalGroupsPolicy 12 *string  enum(Merge|Strict)
  fsGroup                   5 *int64   range(0,2147483647)
  sysctls                   7 [Sysctl] atomic
  fsGroupChangePolicy       9 *string  enum(Always|OnRootMismatch)
  seccompProfile           10 *SeccompProfile
  appArmorProfile          11 *AppArmorProfile
  seLinuxChangePolicy      13 *string

PodSpec
  volumes                        1 [Volume]                   map(name) merge+retainKeys(name)
  initContainers                20 [Container]                map(name) merge(name)
  containers!                    2 [Container]                map(name) merge(name) default([])
  ephemeralContainers           34 [EphemeralContainer]       map(name) merge(name)
  restartPolicy                  3 string                     enum(Always|OnFailure|Never) default(Always)
  terminationGracePeriodSeconds  4 *int64                     default(30)
  activeDeadlineSeconds          5 *int64                     range(1,2147483647)
  dnsPolicy                      6 string                     enum(ClusterFirstWithHostNet|ClusterFirst|Default|None) default(ClusterFirst)
  nodeSelector                   7 {string}                   atomic
  serviceAccountName             8 string                     name(dnsSubdomain)
  serviceAccount                 9 string
  automountServiceAccountToken  21 *boolean
  nodeName                      10 string                     name(dnsSubdomain)
  hostNetwork                   11 boolean
  hostPID                       12 boolean
  hostIPC                       13 boolean
  shareProcessNamespace         27 *boolean
  securityContext               14 *PodSecurityContext        default({})
  imagePullSecrets              15 [LocalObjectReference]     map(name) merge(name)
  hostname                      16 string                     name(dnsLabel)
  subdomain                     17 string                     name(dnsLabel)
  affinity                      18 *Affinity
  schedulerName                 19 string                     default(default-scheduler)
  tolerations                   22 [Toleration]               atomic
  hostAliases                   23 [HostAlias]                map(ip) merge(ip)
  priorityClassName             24 string                     name(dnsSubdomain)
  priority                      25 *int32
  dnsConfig                     26 *PodDNSConfig
  readinessGates                28 [PodReadinessGate]         atomic
  runtimeClassName              29 *string                    name(dnsSubdomain)
  enableServiceLinks            30 *boolean
  preemptionPolicy              31 *string                    enum(PreemptLowerPriority|Never)
  overhead                      32 {quantity}
  topologySpreadConstraints     33 [TopologySpreadConstraint] map(topologyKey,whenUnsatisfiable) merge(topologyKey)
  setHostnameAsFQDN             35 *boolean
  os                            36 *PodOS
  hostUsers                     37 *boolean
  schedulingGates               38 [PodSchedulingGate]        map(name) merge(name)
  resourceClaims                39 [PodResourceClaim]         map(name) merge+retainKeys(name)
  resources                     40 *ResourceRequirements
  hostnameOverride              41 *string
  schedulingGroup               43 *PodSchedulingGroup

PodStatus
  observedGeneration                   17 int64
  phase                                 1 string                               known(Failed|Pending|Running|Succeeded|Unknown)
  conditions                            2 [PodCondition]                       map(type) merge(type)
  message                               3 string
  reason                                4 string
  nominatedNodeName                    11 string
  hostIP                                5 string
  hostIPs                              16 [HostIP]                             map(ip) merge(ip) # The addresses of the pod's node, at most one per family; the first equals hostIP.
  podIP                                 6 string
  podIPs                               12 [PodIP]                              map(ip) merge(ip) # All addresses of the pod; the first equals podIP.
  startTime                             7 *time
  initContainerStatuses                10 [ContainerStatus]                    atomic
  containerStatuses                     8 [ContainerStatus]                    atomic
  qosClass                              9 string                               known(BestEffort|Burstable|Guaranteed)
  ephemeralContainerStatuses           13 [ContainerStatus]                    atomic
  resize                               14 string
  resourceClaimStatuses                15 [PodResourceClaimStatus]             map(name) merge+retainKeys(name)
  extendedResourceClaimStatus          18 *PodExtendedResourceClaimStatus
  allocatedResources                   19 {quantity}
  resources                            20 *ResourceRequirements
  nodeAllocatableResourceClaimStatuses 21 [NodeAllocatableResourceClaimStatus] atomic

PodTemplate kind # A stored description from which pods can be made.
  metadata 1 meta.ObjectMeta
  template 2 PodTemplateSpec

PodTemplateList kind
  metadata 1 meta.ListMeta
  items!   2 [PodTemplate]

PodTemplateSpec
  metadata 1 meta.ObjectMeta
  spec     2 PodSpec default({})

PortStatus
  port!     1 int32
  protocol! 2 string known(SCTP|TCP|UDP)
  error     3 *string

PortworxVolumeSource
  volumeID! 1 string
  fsType    2 string
  readOnly  3 boolean

PreferredSchedulingTerm
  weight!     1 int32
  preference! 2 NodeSelectorTerm

Probe
  ...                           1 ProbeHandler
  initialDelaySeconds           2 int32
  timeoutSeconds                3 int32 default(1)
  periodSeconds                 4 int32 default(10)
  successThreshold              5 int32 default(1)
  failureThreshold              6 int32 default(3)
  terminationGracePeriodSeconds 7 *int64

ProbeHandler
  exec      1 *ExecAction
  httpGet   2 *HTTPGetAction
  tcpSocket 3 *TCPSocketAction
  grpc      4 *GRPCAction

ProjectedVolumeSource
  sources     1 [VolumeProjection] atomic
  defaultMode 2 *int32             default(420)

QuobyteVolumeSource
  registry! 1 string
  volume!   2 string
  readOnly  3 boolean
  user      4 string
  group     5 string
  tenant    6 string

RBDPersistentVolumeSource
  monitors! 1 [string] atomic
  image!    2 string
  fsType    3 string
  pool      4 string   default(rbd)
  user      5 string   default(admin)
  keyring   6 string   default(/etc/ceph/keyring)
  secretRef 7 *SecretReference
  readOnly  8 boolean

RBDVolumeSource
  monitors! 1 [string] atomic
  image!    2 string
  fsType    3 string
  pool      4 string   default(rbd)
  user      5 string   default(admin)
  keyring   6 string   default(/etc/ceph/keyring)
  secretRef 7 *LocalObjectReference
  readOnly  8 boolean

ReplicationController kind # Keeps a number of equal pods running; Deployments are its successor.
  metadata 1 meta.ObjectMeta
  spec     2 ReplicationControllerSpec
  status   3 ReplicationControllerStatus

ReplicationControllerCondition
  type!              1 string
  status!            2 string
  lastTransitionTime 3 time
  reason             4 string
  message            5 string

ReplicationControllerList kind
  metadata 1 meta.ListMeta
  items!   2 [ReplicationController]

ReplicationControllerSpec
  replicas        1 *int32   min(0) default(1)
  minReadySeconds 4 int32    min(0)
  selector        2 {string} atomic
  template        3 *PodTemplateSpec

ReplicationControllerStatus
  replicas!            1 int32
  fullyLabeledReplicas 2 int32
  readyReplicas        4 int32
  availableReplicas    5 int32
  observedGeneration   3 int64
  conditions           6 [ReplicationControllerCondition] map(type) merge(type)

ResourceClaim
  name!   1 string
  request 2 string

ResourceFieldSelector atomic
  containerName 1 string
  resource!     2 string
  divisor       3 quantity

ResourceHealth
  resourceID! 1 string
  health      2 string
  message     6 *string

ResourceQuota kind # How much all objects of a namespace may use.
  metadata 1 meta.ObjectMeta
  spec     2 ResourceQuotaSpec default({})
  status   3 ResourceQuotaStatus

ResourceQuotaList kind
  metadata 1 meta.ListMeta
  items!   2 [ResourceQuota]

ResourceQuotaSpec
  hard          1 {quantity}
  scopes        2 [string] atomic enum(BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass)
  scopeSelector 3 *ScopeSelector

ResourceQuotaStatus
  hard 1 {quantity}
  used 2 {quantity}

ResourceRequirements
  limits   1 {quantity}
  requests 2 {quantity}
  claims   3 [ResourceClaim] map(name)

ResourceStatus
  name!     1 string
  resources 2 [ResourceHealth] map(resourceID)

SELinuxOptions
  user  1 string
  role  2 string
  type  3 string
  level 4 string

ScaleIOPersistentVolumeSource
  gateway!          1 string
  system!           2 string
  secretRef!        3 *SecretReference
  sslEnabled        4 boolean
  protectionDomain  5 string
  storagePool       6 string
  storageMode       7 string default(ThinProvisioned)
  volumeName        8 string
  fsType            9 string default(xfs)
  readOnly         10 boolean

ScaleIOVolumeSource
  gateway!          1 string
  system!           2 string
  secretRef!        3 *LocalObjectReference
  sslEnabled        4 boolean
  protectionDomain  5 string
  storagePool       6 string
  storageMode       7 string default(ThinProvisioned)
  volumeName        8 string
  fsType            9 string default(xfs)
  readOnly         10 boolean

ScopeSelector atomic
  matchExpressions 1 [ScopedResourceSelectorRequirement] atomic

ScopedResourceSelectorRequirement
  scopeName! 1 string   enum(BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass)
  operator!  2 string   enum(DoesNotExist|Exists|In|NotIn)
  values     3 [string] atomic

SeccompProfile
  type!            1 string known(Localhost|RuntimeDefault|Unconfined)
  localhostProfile 2 *string

Secret kind # Settings that only their readers should see.
  metadata   1 meta.ObjectMeta
  immutable  5 *boolean
  data       2 {bytes}
  stringData 4 {string}
  type       3 string default(Opaque) immutable

SecretEnvSource
  ...      1 LocalObjectReference
  optional 2 *boolean

SecretKeySelector atomic
  ...      1 LocalObjectReference
  key!     2 string
  optional 3 *boolean

SecretList kind
  metadata 1 meta.ListMeta
  items!   2 [Secret]

SecretProjection
  ...      1 LocalObjectReference
  items    2 [KeyToPath] atomic
  optional 4 *boolean

SecretReference atomic
  name      1 string
  namespace 2 string

SecretVolumeSource
  secretName  1 string
  items       2 [KeyToPath] atomic
  defaultMode 3 *int32      default(420)
  optional    4 *boolean

SecurityContext
  capabilities              1 *Capabilities
  privileged                2 *boolean
  seLinuxOptions            3 *SELinuxOptions
  windowsOptions           10 *WindowsSecurityContextOptions
  runAsUser                 4 *int64  range(0,2147483647)
  runAsGroup                8 *int64  range(0,2147483647)
  runAsNonRoot              5 *boolean
  readOnlyRootFilesystem    6 *boolean
  allowPrivilegeEscalation  7 *boolean
  procMount                 9 *string enum(Default|Unmasked)
  seccompProfile           11 *SeccompProfile
  appArmorProfile          12 *AppArmorProfile

Service kind # A name and stable addresses in front of a set of pods.
  metadata 1 meta.ObjectMeta
  spec     2 ServiceSpec
  status   3 ServiceStatus

ServiceAccount kind # An identity for programs that run in pods.
  metadata                     1 meta.ObjectMeta
  secrets                      2 [ObjectReference]      map(name) merge(name)
  imagePullSecrets             3 [LocalObjectReference] atomic
  automountServiceAccountToken 4 *boolean

ServiceAccountList kind
  metadata 1 meta.ListMeta
  items!   2 [ServiceAccount]

ServiceAccountTokenProjection
  audience          1 string
  expirationSeconds 2 *int64 default(3600)
  path!             3 string

ServiceList kind
  metadata 1 meta.ListMeta
  items!   2 [Service]

ServicePort
  name        1 string
  protocol    2 string default(TCP) enum(SCTP|TCP|UDP)
  appProtocol 6 *string
  port!       3 int32
  targetPort  4 intOrString
  nodePort    5 int32

ServiceProxyOptions kind
  path 1 string

ServiceSpec
  ports                          1 [ServicePort] map(port,protocol) merge(port)
  selector                       2 {string}      atomic
  clusterIP                      3 string
  clusterIPs                    18 [string]      atomic
  type                           4 string        enum(ClusterIP|ExternalName|LoadBalancer|NodePort) default(ClusterIP)
  externalIPs                    5 [string]      atomic
  sessionAffinity                7 string        enum(ClientIP|None) default(None)
  loadBalancerIP                 8 string
  loadBalancerSourceRanges       9 [string]      atomic
  externalName                  10 string
  externalTrafficPolicy         11 string        known(Cluster|Local)
  healthCheckNodePort           12 int32
  publishNotReadyAddresses      13 boolean
  sessionAffinityConfig         14 *SessionAffinityConfig
  ipFamilies                    19 [string]      atomic enum(IPv4|IPv6)
  ipFamilyPolicy                17 *string       enum(PreferDualStack|RequireDualStack|SingleStack)
  endpointFamily             50001 *string       enum(ipv4|ipv6|dual-stack) # Which addresses of a backend count: ipv4, ipv6 or dual-stack.
  allocateLoadBalancerNodePorts 20 *boolean
  loadBalancerClass             21 *string
  internalTrafficPolicy         22 *string       enum(Cluster|Local)
  trafficDistribution           23 *string       enum(PreferClose|PreferSameNode|PreferSameZone)

ServiceStatus
  loadBalancer 1 LoadBalancerStatus
  conditions   2 [meta.Condition] map(type) merge(type)

SessionAffinityConfig
  clientIP 1 *ClientIPConfig

SleepAction
  seconds! 1 int64

StorageOSPersistentVolumeSource
  volumeName      1 string
  volumeNamespace 2 string
  fsType          3 string
  readOnly        4 boolean
  secretRef       5 *ObjectReference

StorageOSVolumeSource
  volumeName      1 string
  volumeNamespace 2 string
  fsType          3 string
  readOnly        4 boolean
  secretRef       5 *LocalObjectReference

Sysctl
  name!  1 string
  value! 2 string

TCPSocketAction
  port! 1 intOrString
  host  2 string

Taint
  key!      1 string
  value     2 string
  effect!   3 string known(NoExecute|NoSchedule|PreferNoSchedule)
  timeAdded 4 *time

Toleration
  key               1 string
  operator          2 string known(Equal|Exists|Gt|Lt)
  value             3 string
  effect            4 string known(NoExecute|NoSchedule|PreferNoSchedule)
  tolerationSeconds 5 *int64

TopologySelectorLabelRequirement
  key!    1 string
  values! 2 [string] atomic

TopologySelectorTerm atomic
  matchLabelExpressions 1 [TopologySelectorLabelRequirement] atomic

TopologySpreadConstraint
  maxSkew!           1 int32
  topologyKey!       2 string
  whenUnsatisfiable! 3 string   known(DoNotSchedule|ScheduleAnyway)
  labelSelector      4 *meta.LabelSelector
  minDomains         5 *int32
  nodeAffinityPolicy 6 *string  enum(Honor|Ignore)
  nodeTaintsPolicy   7 *string  enum(Honor|Ignore)
  matchLabelKeys     8 [string] atomic

TypedLocalObjectReference atomic
  apiGroup 1 *string
  kind!    2 string
  name!    3 string

TypedObjectReference
  apiGroup  1 *string
  kind!     2 string
  name!     3 string
  namespace 4 *string

Volume
  name! 1 string
  ...   2 VolumeSource

VolumeDevice
  name!       1 string
  devicePath! 2 string

VolumeMount
  name!             1 string
  readOnly          2 boolean
  recursiveReadOnly 7 *string
  mountPath!        3 string
  subPath           4 string
  mountPropagation  5 *string known(Bidirectional|HostToContainer|None)
  subPathExpr       6 string

VolumeMountStatus
  name!             1 string
  mountPath!        2 string
  readOnly          3 boolean
  recursiveReadOnly 4 *string
  volumeStatus      5 *VolumeStatus

VolumeNodeAffinity
  required 1 *NodeSelector

VolumeProjection
  secret              1 *SecretProjection
  downwardAPI         2 *DownwardAPIProjection
  configMap           3 *ConfigMapProjection
  serviceAccountToken 4 *ServiceAccountTokenProjection
  clusterTrustBundle  5 *ClusterTrustBundleProjection
  podCertificate      6 *PodCertificateProjection

VolumeResourceRequirements
  limits   1 {quantity}
  requests 2 {quantity}

VolumeSource
  hostPath               1 *HostPathVolumeSource
  emptyDir               2 *EmptyDirVolumeSource
  gcePersistentDisk      3 *GCEPersistentDiskVolumeSource
  awsElasticBlockStore   4 *AWSElasticBlockStoreVolumeSource
  gitRepo                5 *GitRepoVolumeSource
  secret                 6 *SecretVolumeSource
  nfs                    7 *NFSVolumeSource
  iscsi                  8 *ISCSIVolumeSource
  glusterfs              9 *GlusterfsVolumeSource
  persistentVolumeClaim 10 *PersistentVolumeClaimVolumeSource
  rbd                   11 *RBDVolumeSource
  flexVolume            12 *FlexVolumeSource
  cinder                13 *CinderVolumeSource
  cephfs                14 *CephFSVolumeSource
  flocker               15 *FlockerVolumeSource
  downwardAPI           16 *DownwardAPIVolumeSource
  fc                    17 *FCVolumeSource
  azureFile             18 *AzureFileVolumeSource
  configMap             19 *ConfigMapVolumeSource
  vsphereVolume         20 *VsphereVirtualDiskVolumeSource
  quobyte               21 *QuobyteVolumeSource
  azureDisk             22 *AzureDiskVolumeSource
  photonPersistentDisk  23 *PhotonPersistentDiskVolumeSource
  projected             26 *ProjectedVolumeSource
  portworxVolume        24 *PortworxVolumeSource
  scaleIO               25 *ScaleIOVolumeSource
  storageos             27 *StorageOSVolumeSource
  csi                   28 *CSIVolumeSource
  ephemeral             29 *EphemeralVolumeSource
  image                 30 *ImageVolumeSource

VolumeStatus
  image 1 *ImageVolumeStatus

VsphereVirtualDiskVolumeSource
  volumePath!       1 string
  fsType            2 string
  storagePolicyName 3 string
  storagePolicyID   4 string

WeightedPodAffinityTerm
  weight!          1 int32
  podAffinityTerm! 2 PodAffinityTerm

WindowsSecurityContextOptions
  gmsaCredentialSpecName 1 *string
  gmsaCredentialSpec     2 *string
  runAsUserName          3 *string
  hostProcess            4 *boolean
`;
