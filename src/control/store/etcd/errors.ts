// What etcd's reasons mean to whoever uses a store.

import { EtcdError, type EtcdReason } from "../../../base/etcd/errors.ts";
import { StoreError } from "../errors.ts";

type StoreReason = StoreError["reason"];

const reasons: Partial<Record<EtcdReason, StoreReason>> = {
  compacted: "expired",
  future: "future",
  "unknown-outcome": "unknown-outcome",
  // An error etcd has no name for may have come at any moment.
  failed: "unknown-outcome",
  invalid: "invalid",
  "too-large": "invalid",
  closed: "closed",
};

/** Runs a call to etcd, and throws what is thrown as a StoreError. */
export async function translated<T>(action: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toStoreError(action, error);
  }
}

export function toStoreError(action: string, error: unknown): unknown {
  if (!(error instanceof EtcdError)) return error;
  const reason = reasons[error.reason] ?? "unavailable";
  return new StoreError(`Cannot ${action}: ${error.message}`, { reason, cause: error });
}
