// Translates etcd's errors into the store's reasons.

import { EtcdError, type EtcdReason } from "../../../base/etcd/errors.ts";
import { StoreError } from "../errors.ts";

type StoreReason = StoreError["reason"];

const reasons: Partial<Record<EtcdReason, StoreReason>> = {
  compacted: "expired",
  future: "future",
  "unknown-outcome": "unknown-outcome",
  // An error without a known reason may have come before or after the commit.
  failed: "unknown-outcome",
  invalid: "invalid",
  "too-large": "invalid",
  closed: "closed",
};

/** Runs a call to etcd, and turns its error into a StoreError. */
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
