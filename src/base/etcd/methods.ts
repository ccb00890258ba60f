// The unary methods of etcd's v3 API.

import * as m from "./messages.ts";

export const range = {
  path: "/etcdserverpb.KV/Range",
  request: m.rangeRequest,
  response: m.rangeResponse,
  isRepeatable: true,
};

export const put = {
  path: "/etcdserverpb.KV/Put",
  request: m.putRequest,
  response: m.putResponse,
  isRepeatable: false,
};

export const deleteRange = {
  path: "/etcdserverpb.KV/DeleteRange",
  request: m.deleteRangeRequest,
  response: m.deleteRangeResponse,
  isRepeatable: false,
};

export const txn = {
  path: "/etcdserverpb.KV/Txn",
  request: m.txnRequest,
  response: m.txnResponse,
  isRepeatable: false,
};

export const compact = {
  path: "/etcdserverpb.KV/Compact",
  request: m.compactionRequest,
  response: m.compactionResponse,
  isRepeatable: true,
};

export const leaseGrant = {
  path: "/etcdserverpb.Lease/LeaseGrant",
  request: m.leaseGrantRequest,
  response: m.leaseGrantResponse,
  isRepeatable: false,
};

export const leaseRevoke = {
  path: "/etcdserverpb.Lease/LeaseRevoke",
  request: m.leaseRevokeRequest,
  response: m.leaseRevokeResponse,
  isRepeatable: true,
};

/** A lease's keep-alive: a stream by its signature; closed after one request it is a call like the others. */
export const leaseKeepAlive = {
  path: "/etcdserverpb.Lease/LeaseKeepAlive",
  request: m.leaseKeepAliveRequest,
  response: m.leaseKeepAliveResponse,
  isRepeatable: true,
};

export const status = {
  path: "/etcdserverpb.Maintenance/Status",
  request: m.statusRequest,
  response: m.statusResponse,
  isRepeatable: true,
};

export const memberList = {
  path: "/etcdserverpb.Cluster/MemberList",
  request: m.membersRequest,
  response: m.membersResponse,
  isRepeatable: true,
};

export const memberAdd = {
  path: "/etcdserverpb.Cluster/MemberAdd",
  request: m.memberAddRequest,
  response: m.memberAddResponse,
  isRepeatable: false,
};

export const memberRemove = {
  path: "/etcdserverpb.Cluster/MemberRemove",
  request: m.memberRequest,
  response: m.membersResponse,
  isRepeatable: false,
};

export const memberPromote = {
  path: "/etcdserverpb.Cluster/MemberPromote",
  request: m.memberRequest,
  response: m.membersResponse,
  isRepeatable: false,
};
