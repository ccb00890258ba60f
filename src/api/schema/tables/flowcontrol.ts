// The type table of flowcontrol.apiserver.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const flowcontrol = `
ExemptPriorityLevelConfiguration
  nominalConcurrencyShares 1 *int32 min(0) default(0)
  lendablePercent          2 *int32 range(0,100) default(0)

FlowDistinguisherMethod
  type! 1 string

FlowSchema kind # Which requests belong together, and at which priority level they are served.
  metadata 1 meta.ObjectMeta
  spec     2 FlowSchemaSpec
  status   3 FlowSchemaStatus

FlowSchemaCondition
  type               1 string
  status             2 string
  lastTransitionTime 3 time
  reason             4 string
  message            5 string

FlowSchemaList kind
  metadata 1 meta.ListMeta
  items!   2 [FlowSchema]

FlowSchemaSpec
  priorityLevelConfiguration! 1 PriorityLevelConfigurationReference
  matchingPrecedence          2 int32
  distinguisherMethod         3 *FlowDistinguisherMethod
  rules                       4 [PolicyRulesWithSubjects] atomic

FlowSchemaStatus
  conditions 1 [FlowSchemaCondition] map(type) merge(type)

GroupSubject
  name! 1 string

LimitResponse
  type!   1 string
  queuing 2 *QueuingConfiguration

LimitedPriorityLevelConfiguration
  nominalConcurrencyShares 1 *int32 min(0) default(30)
  limitResponse            2 LimitResponse
  lendablePercent          3 *int32 range(0,100) default(0)
  borrowingLimitPercent    4 *int32 min(0)

NonResourcePolicyRule
  verbs!           1 [string] set
  nonResourceURLs! 6 [string] set

PolicyRulesWithSubjects
  subjects!        1 [Subject] atomic
  resourceRules    2 [ResourcePolicyRule] atomic
  nonResourceRules 3 [NonResourcePolicyRule] atomic

PriorityLevelConfiguration kind # How many requests are served at once at a level, and which of them wait.
  metadata 1 meta.ObjectMeta
  spec     2 PriorityLevelConfigurationSpec
  status   3 PriorityLevelConfigurationStatus

PriorityLevelConfigurationCondition
  type               1 string
  status             2 string
  lastTransitionTime 3 time
  reason             4 string
  message            5 string

PriorityLevelConfigurationList kind
  metadata 1 meta.ListMeta
  items!   2 [PriorityLevelConfiguration]

PriorityLevelConfigurationReference
  name! 1 string

PriorityLevelConfigurationSpec
  type!   1 string
  limited 2 *LimitedPriorityLevelConfiguration
  exempt  3 *ExemptPriorityLevelConfiguration

PriorityLevelConfigurationStatus
  conditions 1 [PriorityLevelConfigurationCondition] map(type) merge(type)

QueuingConfiguration
  queues           1 int32
  handSize         2 int32
  queueLengthLimit 3 int32

ResourcePolicyRule
  verbs!       1 [string] set
  apiGroups!   2 [string] set
  resources!   3 [string] set
  clusterScope 4 boolean
  namespaces   5 [string] set

ServiceAccountSubject
  namespace! 1 string
  name!      2 string

Subject
  kind!          1 string
  user           2 *UserSubject
  group          3 *GroupSubject
  serviceAccount 4 *ServiceAccountSubject

UserSubject
  name! 1 string
`;
