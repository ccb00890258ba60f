// Converts etcd's keys and events to the store's.

import type { Event, KeyValue } from "../../../base/etcd/messages.ts";
import { expired } from "../check.ts";
import type { Change, Entry } from "../port.ts";

/** The options of a change; `previous` is `false` when previous values were not asked for. */
interface ChangeOptions {
  readonly prefix: string;
  readonly previous: boolean;
}

const deletion = 1;
const nothing = new Uint8Array(0);

export function toEntry(
  prefix: string,
  { key, value, createRevision, modRevision }: KeyValue,
): Entry {
  return { key: key.slice(prefix.length), value, created: createRevision, modified: modRevision };
}

export function toChange({ type, kv, prevKv }: Event, { prefix, previous }: ChangeOptions): Change {
  if (kv === undefined) throw new TypeError("Cannot read an event of etcd: it has no key");
  const { modRevision: modified } = kv;
  const old = prevKv && toEntry(prefix, prevKv);
  const isDeletion = type === deletion;
  const hadPrevious = isDeletion || kv.createRevision < modified;
  // The previous value is looked up when etcd sends the event, and is missing if it was compacted meanwhile.
  if (previous && hadPrevious && old === undefined) throw expired(modified - 1, undefined);
  const entry = toEntry(prefix, kv);
  const change: Change = isDeletion
    ? { ...entry, type: "delete", value: old?.value ?? nothing, created: old?.created ?? 0 }
    : { ...entry, type: "put" };
  return old === undefined ? change : { ...change, previous: old };
}
