// Checks that every store makes before it does anything.

import { StoreError } from "./errors.ts";
import type { Revision, Transaction } from "./port.ts";

/** The longest key, in bytes of UTF-8. */
const longestKey = 0xffff;

export function checkKey(key: string): void {
  if (!key.startsWith("/"))
    throw invalid(`Cannot use key ${JSON.stringify(key)}: it has to begin with /`);
  if (!key.isWellFormed())
    throw invalid(`Cannot use key ${JSON.stringify(key)}: it is not Unicode`);
  if (key.length * 3 > longestKey && Buffer.byteLength(key) > longestKey) {
    throw invalid(`Cannot use key ${key.slice(0, 50)}…: it is longer than ${longestKey} bytes`);
  }
}

export function checkTransaction({ compare, operations }: Transaction): void {
  for (const { key } of compare) checkKey(key);
  for (const operation of operations) {
    checkKey(operation.key);
    if (operation.type === "put" && operation.ttlSeconds !== undefined)
      checkTtl(operation.ttlSeconds);
  }
  if (operations.length < 2) return;
  const keys = new Set<string>();
  for (const { key } of operations) {
    if (keys.has(key)) throw invalid(`Cannot commit: the transaction has ${key} twice`);
    keys.add(key);
  }
}

export function checkRevision(wanted: Revision, { newest, compacted }: Bounds): void {
  if (wanted > newest) throw future(wanted, newest);
  if (wanted < compacted) throw expired(wanted, compacted);
}

interface Bounds {
  readonly newest: Revision;
  readonly compacted: Revision;
}

export function expired(wanted: Revision, compacted: Revision | undefined): StoreError {
  const state = compacted === undefined ? "it has been compacted" : `compacted up to ${compacted}`;
  return new StoreError(`Cannot read at revision ${wanted}: ${state}`, { reason: "expired" });
}

export function future(wanted: Revision, newest: Revision | undefined): StoreError {
  const state = newest === undefined ? "it is yet to come" : `the newest is ${newest}`;
  return new StoreError(`Cannot read at revision ${wanted}: ${state}`, { reason: "future" });
}

function checkTtl(seconds: number): void {
  if (Number.isFinite(seconds) && seconds > 0) return;
  throw invalid(`Cannot use ttlSeconds ${seconds}: it has to be greater than 0`);
}

function invalid(message: string): StoreError {
  return new StoreError(message, { reason: "invalid" });
}
