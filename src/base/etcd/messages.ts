// The messages of etcd's v3 API with their field numbers, as far as they are used.

import {
  boolean,
  bytes,
  identifier,
  integer,
  many,
  message,
  one,
  type Received,
  text,
} from "./wire.ts";

const responseHeader = message({ revision: one(3, integer) });

const keyValue = message({
  key: one(1, text),
  createRevision: one(2, integer),
  modRevision: one(3, integer),
  version: one(4, integer),
  value: one(5, bytes),
  lease: one(6, integer),
});
export type KeyValue = Received<typeof keyValue>;

export const rangeRequest = message({
  key: one(1, text),
  rangeEnd: one(2, bytes),
  limit: one(3, integer),
  revision: one(4, integer),
  serializable: one(7, boolean),
  keysOnly: one(8, boolean),
  countOnly: one(9, boolean),
});

export const rangeResponse = message({
  header: one(1, responseHeader),
  kvs: many(2, keyValue),
  more: one(3, boolean),
  count: one(4, integer),
});

export const putRequest = message({
  key: one(1, text),
  value: one(2, bytes),
  lease: one(3, integer),
  prevKv: one(4, boolean),
});

export const putResponse = message({ header: one(1, responseHeader), prevKv: one(2, keyValue) });

export const deleteRangeRequest = message({
  key: one(1, text),
  rangeEnd: one(2, bytes),
  prevKv: one(3, boolean),
});

export const deleteRangeResponse = message({
  header: one(1, responseHeader),
  deleted: one(2, integer),
  prevKvs: many(3, keyValue),
});

/**
 * A condition of a transaction. `result`: 0 equal, 1 greater, 2 less, 3 not equal. `target`: 0 version, 1
 * create, 2 mod, 3 value.
 */
const compare = message({
  result: one(1, integer),
  target: one(2, integer),
  key: one(3, text),
  version: one(4, integer),
  createRevision: one(5, integer),
  modRevision: one(6, integer),
  value: one(7, bytes),
});

const requestOp = message({
  range: one(1, rangeRequest),
  put: one(2, putRequest),
  deleteRange: one(3, deleteRangeRequest),
});

const responseOp = message({
  range: one(1, rangeResponse),
  put: one(2, putResponse),
  deleteRange: one(3, deleteRangeResponse),
});

export const txnRequest = message({
  compare: many(1, compare),
  success: many(2, requestOp),
  failure: many(3, requestOp),
});

export const txnResponse = message({
  header: one(1, responseHeader),
  succeeded: one(2, boolean),
  responses: many(3, responseOp),
});

export const compactionRequest = message({ revision: one(1, integer), physical: one(2, boolean) });
export const compactionResponse = message({ header: one(1, responseHeader) });

/** A watch event. `type`: 0 put, 1 delete. */
const event = message({ type: one(1, integer), kv: one(2, keyValue), prevKv: one(3, keyValue) });
export type Event = Received<typeof event>;

const watchCreateRequest = message({
  key: one(1, text),
  rangeEnd: one(2, bytes),
  startRevision: one(3, integer),
  progressNotify: one(4, boolean),
  prevKv: one(6, boolean),
  fragment: one(8, boolean),
});

export const watchRequest = message({ create: one(1, watchCreateRequest) });

export const watchResponse = message({
  header: one(1, responseHeader),
  watchId: one(2, integer),
  created: one(3, boolean),
  canceled: one(4, boolean),
  compactRevision: one(5, integer),
  cancelReason: one(6, text),
  fragment: one(7, boolean),
  events: many(11, event),
});

export const leaseGrantRequest = message({ ttl: one(1, integer), id: one(2, integer) });
export const leaseGrantResponse = message({ id: one(2, integer), ttl: one(3, integer) });
export const leaseRevokeRequest = message({ id: one(1, integer) });
export const leaseRevokeResponse = message({ header: one(1, responseHeader) });
export const leaseKeepAliveRequest = message({ id: one(1, integer) });
export const leaseKeepAliveResponse = message({ id: one(2, integer), ttl: one(3, integer) });

export const authenticateRequest = message({ name: one(1, text), password: one(2, text) });
export const authenticateResponse = message({ token: one(2, text) });

export const statusRequest = message({});
export const statusResponse = message({
  header: one(1, responseHeader),
  version: one(2, text),
  dbSize: one(3, integer),
  leader: one(4, integer),
  raftTerm: one(6, integer),
  errors: many(8, text),
});

const member = message({
  id: one(1, identifier),
  /** The name is empty until the member has started. */
  name: one(2, text),
  peerUrls: many(3, text),
  clientUrls: many(4, text),
  isLearner: one(5, boolean),
});
export type Member = NonNullable<Received<typeof member>>;

export const memberAddRequest = message({ peerUrls: many(1, text), isLearner: one(2, boolean) });
export const memberAddResponse = message({ member: one(2, member), members: many(3, member) });
export const memberRequest = message({ id: one(1, identifier) });
export const membersRequest = message({});
export const membersResponse = message({ members: many(2, member) });
