// Files of a store: logs such as `0000000007.log`, written one after the other, and snapshots such as
// `0000000005.snapshot`, which replaces every log up to its number.

import { closeSync, fsyncSync, openSync } from "node:fs";

export interface Plan {
  readonly snapshot: number | undefined;
  /** The numbers of the logs, in order; they follow the snapshot without a gap. */
  readonly logs: readonly number[];
  /** Files left behind by a process that died while it was writing a snapshot. */
  readonly stale: readonly string[];
  /** The number of the first log that should exist and does not. */
  readonly missing: number | undefined;
}

type FileKind = "log" | "snapshot";

/** The file name of a snapshot until it is complete. */
export const unfinished = "snapshot.new";

export function fileName(number: number, kind: FileKind): string {
  return `${String(number).padStart(10, "0")}.${kind}`;
}

/** Decides which of the files count. */
export function planFiles(names: readonly string[]): Plan {
  const files = names.flatMap((name) => {
    const match = /^(\d{10})\.(log|snapshot)$/.exec(name);
    return match === null ? [] : [{ name, number: Number(match[1]), kind: match[2] as FileKind }];
  });
  const numbers = (kind: FileKind): number[] =>
    files.filter((file) => file.kind === kind).map(({ number }) => number);
  const snapshot = numbers("snapshot").toSorted((a, b) => b - a)[0];
  const base = snapshot ?? 0;
  const logs = numbers("log")
    .filter((number) => number > base)
    .toSorted((a, b) => a - b);
  const gap = logs.findIndex((number, index) => number !== base + 1 + index);
  const stale = files
    .filter(({ number, kind }) => number < base || (number === base && kind === "log"))
    .map(({ name }) => name);
  return {
    snapshot,
    logs,
    stale: names.includes(unfinished) ? [...stale, unfinished] : stale,
    missing: gap < 0 ? undefined : base + 1 + gap,
  };
}

/** Makes the creation, renaming and removal of files in a directory durable. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
