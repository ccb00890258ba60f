// The type table of policy/v1, one line per field. The grammar is in ../parse.ts.

export const policy = `
Eviction kind # Asks for a pod's removal, subject to disruption budgets.
  metadata      1 meta.ObjectMeta
  deleteOptions 2 *meta.DeleteOptions

PodDisruptionBudget kind # How many pods of a group may be evicted at once.
  metadata 1 meta.ObjectMeta
  spec     2 PodDisruptionBudgetSpec default({})
  status   3 PodDisruptionBudgetStatus

PodDisruptionBudgetList kind
  metadata 1 meta.ListMeta
  items!   2 [PodDisruptionBudget]

PodDisruptionBudgetSpec
  minAvailable               1 *intOrString
  selector                   2 *meta.LabelSelector replace
  maxUnavailable             3 *intOrString
  unhealthyPodEvictionPolicy 4 *string             enum(AlwaysAllow|IfHealthyBudget)

PodDisruptionBudgetStatus
  observedGeneration 1 int64
  disruptedPods      2 {time}
  disruptionsAllowed 3 int32
  currentHealthy     4 int32
  desiredHealthy     5 int32
  expectedPods       6 int32
  conditions         7 [meta.Condition] map(type) merge(type)
`;
