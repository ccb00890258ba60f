// What `kubectl logs` prints, from the file a container's output is kept in.
import type { CallOptions } from "../../base/host/command.ts";
import { type LogEntry, readEntries } from "./log/entries.ts";

export interface LogOptions extends CallOptions {
  /** Only this many lines, the last ones. */
  readonly tailLines?: number;
  /** Only what was said at this time or later. */
  readonly since?: Date;
  /** Begin each line with its time. */
  readonly timestamps?: boolean;
  /** End after this many bytes. */
  readonly limitBytes?: number;
  /** Go on with what is said later, until this settles: `containers.exited(id)`. */
  readonly follow?: Promise<unknown>;
}

/** In pieces as they come; nothing when there is no log. Reads on through logs that were put aside. */
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
