// The type table of node.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const node = `
Overhead
  podFixed 1 {quantity}

RuntimeClass kind # A way to run containers that pods choose by name.
  metadata   1 meta.ObjectMeta
  handler!   2 string name(dnsLabel) present immutable
  overhead   3 *Overhead
  scheduling 4 *Scheduling

RuntimeClassList kind
  metadata 1 meta.ListMeta
  items!   2 [RuntimeClass]

Scheduling
  nodeSelector 1 {string}          atomic
  tolerations  2 [core.Toleration] atomic
`;
