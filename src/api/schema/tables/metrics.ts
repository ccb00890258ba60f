// The type table of metrics.k8s.io/v1beta1, one line per field. The grammar is in ../parse.ts.

export const metrics = `
ContainerMetrics
  name!  1 string
  usage! 2 {quantity}

NodeMetrics kind # What a node uses at present.
  metadata   1 meta.ObjectMeta
  timestamp! 2 time
  window!    3 string
  usage!     4 {quantity}

NodeMetricsList kind
  metadata 1 meta.ListMeta
  items!   2 [NodeMetrics]

PodMetrics kind # What the containers of a pod use at present.
  metadata    1 meta.ObjectMeta
  timestamp!  2 time
  window!     3 string
  containers! 4 [ContainerMetrics]

PodMetricsList kind
  metadata 1 meta.ListMeta
  items!   2 [PodMetrics]
`;
