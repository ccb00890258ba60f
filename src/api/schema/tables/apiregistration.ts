// The type table of apiregistration.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const apiregistration = `
APIService kind # A group and version of the API, and the server that serves it.
  metadata 1 meta.ObjectMeta
  spec     2 APIServiceSpec default({})
  status   3 APIServiceStatus

APIServiceCondition
  type!              1 string
  status!            2 string
  lastTransitionTime 3 time
  reason             4 string
  message            5 string

APIServiceList kind
  metadata 1 meta.ListMeta
  items!   2 [APIService]

APIServiceSpec
  service               1 *ServiceReference
  group                 2 string
  version               3 string
  insecureSkipTLSVerify 4 boolean
  caBundle              5 bytes
  groupPriorityMinimum! 7 int32
  versionPriority!      8 int32

APIServiceStatus
  conditions 1 [APIServiceCondition] map(type) merge(type)

ServiceReference
  namespace 1 string
  name      2 string
  port      3 *int32 default(443) range(1,65535)
`;
