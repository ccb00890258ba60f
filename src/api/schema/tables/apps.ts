// The type table of apps/v1, one line per field. The grammar is in ../parse.ts.

export const apps = `
ControllerRevision kind # A former state of a DaemonSet or StatefulSet, to go back to.
  metadata  1 meta.ObjectMeta
  data      2 any
  revision! 3 int64

ControllerRevisionList kind
  metadata 1 meta.ListMeta
  items!   2 [ControllerRevision]

DaemonSet kind # Keeps one pod on every matching node.
  metadata 1 meta.ObjectMeta
  spec     2 DaemonSetSpec default({})
  status   3 DaemonSetStatus

DaemonSetCondition
  type!              1 string
  status!            2 string
  lastTransitionTime 3 time
  reason             4 string
  message            5 string

DaemonSetList kind
  metadata 1 meta.ListMeta
  items!   2 [DaemonSet]

DaemonSetSpec
  selector!            1 *meta.LabelSelector     immutable
  template!            2 core.PodTemplateSpec    default({})
  updateStrategy       3 DaemonSetUpdateStrategy default({})
  minReadySeconds      4 int32                   min(0)
  revisionHistoryLimit 6 *int32                  default(10) min(0)

DaemonSetStatus
  currentNumberScheduled!  1 int32
  numberMisscheduled!      2 int32
  desiredNumberScheduled!  3 int32
  numberReady!             4 int32
  observedGeneration       5 int64
  updatedNumberScheduled   6 int32
  numberAvailable          7 int32
  numberUnavailable        8 int32
  collisionCount           9 *int32
  conditions              10 [DaemonSetCondition] map(type) merge(type)

DaemonSetUpdateStrategy
  type          1 string known(OnDelete|RollingUpdate) default(RollingUpdate)
  rollingUpdate 2 *RollingUpdateDaemonSet

Deployment kind # Rolls a set of equal pods from one version to the next.
  metadata 1 meta.ObjectMeta
  spec     2 DeploymentSpec default({})
  status   3 DeploymentStatus

DeploymentCondition
  type!              1 string
  status!            2 string
  lastUpdateTime     6 time
  lastTransitionTime 7 time
  reason             4 string
  message            5 string

DeploymentList kind
  metadata 1 meta.ListMeta
  items!   2 [Deployment]

DeploymentSpec
  replicas                1 *int32               default(1) min(0)
  selector!               2 *meta.LabelSelector  immutable
  template!               3 core.PodTemplateSpec default({})
  strategy                4 DeploymentStrategy   retainKeys default({})
  minReadySeconds         5 int32                min(0)
  revisionHistoryLimit    6 *int32               default(10) min(0)
  paused                  7 boolean
  progressDeadlineSeconds 9 *int32               default(600) min(0)

DeploymentStatus
  observedGeneration  1 int64
  replicas            2 int32
  updatedReplicas     3 int32
  readyReplicas       7 int32
  availableReplicas   4 int32
  unavailableReplicas 5 int32
  terminatingReplicas 9 *int32
  conditions          6 [DeploymentCondition] map(type) merge(type)
  collisionCount      8 *int32

DeploymentStrategy
  type          1 string known(Recreate|RollingUpdate) default(RollingUpdate)
  rollingUpdate 2 *RollingUpdateDeployment

ReplicaSet kind # Keeps a number of equal pods running.
  metadata 1 meta.ObjectMeta
  spec     2 ReplicaSetSpec default({})
  status   3 ReplicaSetStatus

ReplicaSetCondition
  type!              1 string
  status!            2 string
  lastTransitionTime 3 time
  reason             4 string
  message            5 string

ReplicaSetList kind
  metadata 1 meta.ListMeta
  items!   2 [ReplicaSet]

ReplicaSetSpec
  replicas        1 *int32               default(1) min(0)
  minReadySeconds 4 int32                min(0)
  selector!       2 *meta.LabelSelector  immutable
  template        3 core.PodTemplateSpec default({})

ReplicaSetStatus
  replicas!            1 int32
  fullyLabeledReplicas 2 int32
  readyReplicas        4 int32
  availableReplicas    5 int32
  terminatingReplicas  7 *int32
  observedGeneration   3 int64
  conditions           6 [ReplicaSetCondition] map(type) merge(type)

RollingUpdateDaemonSet
  maxUnavailable 1 *intOrString
  maxSurge       2 *intOrString

RollingUpdateDeployment
  maxUnavailable 1 *intOrString
  maxSurge       2 *intOrString

RollingUpdateStatefulSetStrategy
  partition      1 *int32
  maxUnavailable 2 *intOrString

StatefulSet kind # Keeps numbered pods with stable names running.
  metadata 1 meta.ObjectMeta
  spec     2 StatefulSetSpec default({})
  status   3 StatefulSetStatus

StatefulSetCondition
  type!              1 string
  status!            2 string
  lastTransitionTime 3 time
  reason             4 string
  message            5 string

StatefulSetList kind
  metadata 1 meta.ListMeta
  items!   2 [StatefulSet]

StatefulSetOrdinals
  start 1 int32 min(0)

StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted 1 string enum(Retain|Delete) default(Retain)
  whenScaled  2 string enum(Retain|Delete) default(Retain)

StatefulSetSpec
  replicas                              1 *int32                                           default(1) min(0)
  selector!                             2 *meta.LabelSelector
  template!                             3 core.PodTemplateSpec                             unchecked default({})
  volumeClaimTemplates                  4 [core.PersistentVolumeClaim]                     atomic
  serviceName                           5 string                                           name(dnsLabel)
  podManagementPolicy                   6 string                                           known(OrderedReady|Parallel) default(OrderedReady)
  updateStrategy                        7 StatefulSetUpdateStrategy                        default({})
  revisionHistoryLimit                  8 *int32                                           default(10)
  minReadySeconds                       9 int32                                            min(0)
  persistentVolumeClaimRetentionPolicy 10 *StatefulSetPersistentVolumeClaimRetentionPolicy default({})
  ordinals                             11 *StatefulSetOrdinals

StatefulSetStatus
  observedGeneration  1 int64
  replicas!           2 int32
  readyReplicas       3 int32
  currentReplicas     4 int32
  updatedReplicas     5 int32
  currentRevision     6 string
  updateRevision      7 string
  collisionCount      9 *int32
  conditions         10 [StatefulSetCondition] map(type) merge(type)
  availableReplicas  11 int32

StatefulSetUpdateStrategy
  type          1 string known(OnDelete|RollingUpdate)
  rollingUpdate 2 *RollingUpdateStatefulSetStrategy
`;
