// Reads a container's log file as `kubectl logs` prints it.
import type { CallOptions } from "../../base/host/command.ts";
import { type LogEntry, readEntries } from "./log/entries.ts";

export interface LogOptions extends CallOptions {
  /** The number of last lines to read; all when not given. */
  readonly tailLines?: number;
  /** The time of the first entry to read. */
  readonly since?: Date;
  /** Whether each line begins with its time. */
  readonly timestamps?: boolean;
  /** The number of bytes after which the output ends. */
  readonly limitBytes?: number;
  /** The promise until which new entries are followed, such as `containers.exited(id)`. */
  readonly follow?: Promise<unknown>;
}

/** Yields the log in pieces; nothing when there is none. Rotated files are read, too. */
export async function* readLog(path: string, options: LogOptions = {}): AsyncIterable<Uint8Array> {
  const { since, timestamps = false, limitBytes = Infinity } = options;
  let room = limitBytes;
  let isLineStart = true;
  for await (const entry of readEntries(path, options)) {
    if (room <= 0) return;
    if (since !== undefined && timeOf(entry) < since.getTime()) continue;
    const stamp = timestamps && isLineStart ? `${entry.time} ` : "";
    const text = Buffer.concat([Buffer.from(stamp), entry.text]);
    isLineStart = entry.isLineEnd;
    const piece = text.length > room ? text.subarray(0, room) : text;
    room -= piece.length;
    yield piece;
  }
}

function timeOf(entry: LogEntry): number {
  return Date.parse(entry.time);
}
