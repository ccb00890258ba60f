// The type table of coordination.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const coordination = `
Lease kind # A claim that runs out unless it is renewed: heartbeats and leader election.
  metadata 1 meta.ObjectMeta
  spec     2 LeaseSpec

LeaseList kind
  metadata 1 meta.ListMeta
  items!   2 [Lease]

LeaseSpec
  holderIdentity       1 *string
  leaseDurationSeconds 2 *int32 min(1)
  acquireTime          3 *microTime
  renewTime            4 *microTime
  leaseTransitions     5 *int32 min(0)
  strategy             6 *string
  preferredHolder      7 *string
`;
