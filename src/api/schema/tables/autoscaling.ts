// The type table of autoscaling/v1, one line per field. The grammar is in ../parse.ts.

export const autoscaling = `
CrossVersionObjectReference atomic
  kind!      1 string present name(pathSegment)
  name!      2 string present name(pathSegment)
  apiVersion 3 string

HorizontalPodAutoscaler kind # How many replicas a workload has, by what is measured.
  metadata 1 meta.ObjectMeta
  spec!    2 HorizontalPodAutoscalerSpec default({})
  status   3 HorizontalPodAutoscalerStatus

HorizontalPodAutoscalerList kind
  metadata 1 meta.ListMeta
  items!   2 [HorizontalPodAutoscaler]

HorizontalPodAutoscalerSpec
  scaleTargetRef!                1 CrossVersionObjectReference default({})
  minReplicas                    2 *int32                      default(1)
  maxReplicas!                   3 int32
  targetCPUUtilizationPercentage 4 *int32

HorizontalPodAutoscalerStatus
  observedGeneration              1 *int64
  lastScaleTime                   2 *time
  currentReplicas!                3 int32
  desiredReplicas!                4 int32
  currentCPUUtilizationPercentage 5 *int32

Scale kind # The replica count of an object, whatever its kind.
  metadata 1 meta.ObjectMeta
  spec     2 ScaleSpec
  status   3 ScaleStatus

ScaleSpec
  replicas 1 int32

ScaleStatus
  replicas! 1 int32
  selector  2 string
`;
