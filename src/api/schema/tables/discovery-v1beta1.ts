// The type table of discovery.k8s.io/v1beta1, one line per field. The grammar is in ../parse.ts.

export const discoveryV1beta1 = `
Endpoint
  addresses! 1 [string] set
  conditions 2 EndpointConditions
  hostname   3 *string
  targetRef  4 *core.ObjectReference
  topology   5 {string}
  nodeName   6 *string
  hints      7 *EndpointHints

EndpointConditions
  ready       1 *boolean
  serving     2 *boolean
  terminating 3 *boolean

EndpointHints
  forZones 1 [ForZone] atomic
  forNodes 2 [ForNode] atomic

EndpointPort
  name        1 *string
  protocol    2 *string enum(SCTP|TCP|UDP)
  port        3 *int32
  appProtocol 4 *string

EndpointSlice kind # A part of the backends of a service, of one address family, in the form older proxies read.
  metadata     1 meta.ObjectMeta
  addressType! 4 string         enum(FQDN|IPv4|IPv6)
  endpoints!   2 [Endpoint]     atomic
  ports        3 [EndpointPort] atomic

EndpointSliceList kind
  metadata 1 meta.ListMeta
  items!   2 [EndpointSlice]

ForNode
  name! 1 string

ForZone
  name! 1 string
`;
