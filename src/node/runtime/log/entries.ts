// Reads the entries of a log that may grow, and be rotated, while it is read.
import type { CallOptions } from "../../../base/host/command.ts";
import { openChanges } from "./changes.ts";
import { inodeOf, type LogPlace, logFiles, openLogFile } from "./files.system.ts";
import { openTail } from "./tail.ts";

export interface LogEntry {
  /** The time as written in the file: RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** The text, with its newline if it is the end of a line. */
  readonly text: Buffer;
  readonly isLineEnd: boolean;
}

interface EntryOptions extends CallOptions {
  readonly tailLines?: number;
  /** The position to begin at; its file is closed in the end. */
  readonly from?: LogPlace | undefined;
  readonly follow?: Promise<unknown>;
}

export async function* readEntries(path: string, options: EntryOptions): AsyncIterable<LogEntry> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of readChunks(path, options)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      const entry = parseEntry(bytes.subarray(start, end + 1));
      if (entry !== undefined) yield entry;
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  }
}

const newline = 0x0a;
const chunkBytes = 64 * 1024;
/** The number of bytes that are enough for the time, the stream and the tag. */
const longestHead = 64;

/** Parses a line; returns undefined if it is no entry, such as one that a full disk truncated. */
export function parseEntry(line: Buffer): LogEntry | undefined {
  const [, time, stream, tag] =
    /^(\S+) (stdout|stderr) ([FP]) /.exec(line.toString("latin1", 0, longestHead)) ?? [];
  if (time === undefined || (stream !== "stdout" && stream !== "stderr")) return undefined;
  const isLineEnd = tag === "F";
  const start = time.length + stream.length + 4;
  return { time, stream, isLineEnd, text: line.subarray(start, isLineEnd ? undefined : -1) };
}

async function* readChunks(path: string, options: EntryOptions): AsyncIterable<Buffer> {
  const { signal, follow, from, tailLines } = options;
  using changes = openChanges(path);
  let isOver = follow === undefined;
  const end = (): void => {
    isOver = true;
    changes.notify();
  };
  follow?.then(end, end);
  signal?.addEventListener("abort", changes.notify, { once: true });
  let place = from ?? (await openTail(path, tailLines));
  try {
    for (;;) {
      if (signal?.aborted === true) return;
      // The end and the successor are checked before the read, so that nothing can follow what is read then.
      const isLast = isOver;
      const next = place === undefined ? (await logFiles(path))[0] : await successor(path, place);
      if (place !== undefined) yield* readOn(place);
      if (next !== undefined) {
        await place?.handle.close();
        place = await openLogFile(next);
      } else if (isLast) {
        return;
      } else {
        await changes.next();
      }
    }
  } finally {
    signal?.removeEventListener("abort", changes.notify);
    await place?.handle.close();
  }
}

/** Returns the file in which the log continues after this one was rotated. */
async function successor(path: string, place: LogPlace): Promise<string | undefined> {
  if ((await inodeOf(path)) === place.inode) return undefined;
  const files = await logFiles(path);
  const inodes = await Promise.all(files.map(inodeOf));
  return files[inodes.indexOf(place.inode) + 1];
}

async function* readOn(place: LogPlace): AsyncIterable<Buffer> {
  for (;;) {
    const buffer = Buffer.alloc(chunkBytes);
    const { bytesRead } = await place.handle.read(buffer, 0, chunkBytes, place.offset);
    if (bytesRead === 0) return;
    place.offset += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
