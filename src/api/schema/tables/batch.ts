// The type table of batch/v1, one line per field. The grammar is in ../parse.ts.

export const batch = `
CronJob kind # Makes a Job at given times.
  metadata 1 meta.ObjectMeta
  spec!    2 CronJobSpec default({})
  status   3 CronJobStatus

CronJobList kind
  metadata 1 meta.ListMeta
  items!   2 [CronJob]

CronJobSpec
  schedule!                  1 string
  timeZone                   8 *string
  startingDeadlineSeconds    2 *int64   min(0)
  concurrencyPolicy          3 string   enum(Allow|Forbid|Replace) default(Allow)
  suspend                    4 *boolean default(false)
  jobTemplate!               5 JobTemplateSpec
  successfulJobsHistoryLimit 6 *int32   default(3) min(0)
  failedJobsHistoryLimit     7 *int32   default(1) min(0)

CronJobStatus
  active             1 [core.ObjectReference] atomic
  lastScheduleTime   4 *time
  lastSuccessfulTime 5 *time

Job kind # Runs pods until enough of them have succeeded.
  metadata 1 meta.ObjectMeta
  spec     2 JobSpec
  status   3 JobStatus

JobCondition
  type!              1 string
  status!            2 string
  lastProbeTime      3 time
  lastTransitionTime 4 time
  reason             5 string
  message            6 string

JobList kind
  metadata 1 meta.ListMeta
  items!   2 [Job]

JobSpec
  parallelism              1 *int32  min(0)
  completions              2 *int32  min(0)
  activeDeadlineSeconds    3 *int64  min(0)
  podFailurePolicy        11 *PodFailurePolicy
  successPolicy           16 *SuccessPolicy
  backoffLimit             7 *int32  min(0)
  backoffLimitPerIndex    12 *int32  min(0)
  maxFailedIndexes        13 *int32  min(0)
  selector                 4 *meta.LabelSelector
  manualSelector           5 *boolean
  template!                6 core.PodTemplateSpec
  ttlSecondsAfterFinished  8 *int32  min(0)
  completionMode           9 *string enum(NonIndexed|Indexed)
  suspend                 10 *boolean
  podReplacementPolicy    14 *string known(Failed|TerminatingOrFailed)
  managedBy               15 *string longest(63)

JobStatus
  conditions               1 [JobCondition] atomic merge(type)
  startTime                2 *time
  completionTime           3 *time
  active                   4 int32
  succeeded                5 int32
  failed                   6 int32
  terminating             11 *int32
  completedIndexes         7 string
  failedIndexes           10 *string
  uncountedTerminatedPods  8 *UncountedTerminatedPods
  ready                    9 *int32

JobTemplateSpec
  metadata 1 meta.ObjectMeta
  spec     2 JobSpec

PodFailurePolicy
  rules! 1 [PodFailurePolicyRule] atomic

PodFailurePolicyOnExitCodesRequirement
  containerName 1 *string
  operator!     2 string  known(In|NotIn)
  values!       3 [int32] set

PodFailurePolicyOnPodConditionsPattern
  type!  1 string
  status 2 string

PodFailurePolicyRule
  action!         1 string                                   known(Count|FailIndex|FailJob|Ignore)
  onExitCodes     2 *PodFailurePolicyOnExitCodesRequirement
  onPodConditions 3 [PodFailurePolicyOnPodConditionsPattern] atomic

SuccessPolicy
  rules! 1 [SuccessPolicyRule] atomic

SuccessPolicyRule
  succeededIndexes 1 *string
  succeededCount   2 *int32

UncountedTerminatedPods
  succeeded 1 [string] set
  failed    2 [string] set
`;
