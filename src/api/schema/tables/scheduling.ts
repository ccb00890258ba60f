// The type table of scheduling.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const scheduling = `
PriorityClass kind # A priority that pods name, and whether they displace others for it.
  metadata         1 meta.ObjectMeta
  value            2 int32
  globalDefault    3 boolean
  description      4 string
  preemptionPolicy 5 *string enum(Never|PreemptLowerPriority) default(PreemptLowerPriority) immutable

PriorityClassList kind
  metadata 1 meta.ListMeta
  items!   2 [PriorityClass]
`;
