// Facts of autoscaling/v1, one line per field. The grammar is in ../parse.ts.

export const autoscaling = `
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
