// The type table of discovery.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const discovery = `
Endpoint
  addresses!         1 [string] set
  conditions         2 EndpointConditions
  hostname           3 *string
  targetRef          4 *core.ObjectReference
  deprecatedTopology 5 {string}
  nodeName           6 *string
  zone               7 *string
  hints              8 *EndpointHints

EndpointConditions
  ready       1 *boolean
  serving     2 *boolean
  terminating 3 *boolean

EndpointHints
  forZones 1 [ForZone] atomic
  forNodes 2 [ForNode] atomic

EndpointPort atomic
  name        1 *string
  protocol    2 *string enum(SCTP|TCP|UDP) default(TCP)
  port        3 *int32
  appProtocol 4 *string

EndpointSlice kind # A part of the backends of a service, of one address family.
  metadata     1 meta.ObjectMeta
  addressType! 4 string         enum(FQDN|IPv4|IPv6) present immutable
  endpoints    2 [Endpoint]     atomic
  ports        3 [EndpointPort] atomic

EndpointSliceList kind
  metadata 1 meta.ListMeta
  items!   2 [EndpointSlice]

ForNode
  name! 1 string

ForZone
  name! 1 string
`;
