// Finds where the last lines of a log begin.
import { type LogPlace, logFiles, openLogFile } from "./files.system.ts";

/**
 * Opens the log at its last lines, or at the start of its oldest file without a number; returns undefined
 * when there is no log.
 */
export async function openTail(path: string, lines = Infinity): Promise<LogPlace | undefined> {
  const files = await logFiles(path);
  let missing = lines;
  let first: LogPlace | undefined;
  for (const file of lines === Infinity ? files.slice(0, 1) : files.toReversed()) {
    const place = await openLogFile(file);
    if (place === undefined) continue;
    await first?.handle.close();
    first = place;
    if (lines === Infinity) return place;
    missing -= await seekBack(place, missing);
    if (missing <= 0) return place;
  }
  return first;
}

const blockBytes = 64 * 1024;
const newline = 0x0a;

/** Moves the position back by so many lines, or to the start of the file; returns the number of lines. */
async function seekBack(place: LogPlace, lines: number): Promise<number> {
  const { size } = await place.handle.stat();
  const block = Buffer.alloc(blockBytes);
  let found = 0;
  for (let end = size; end > 0; end -= blockBytes) {
    const start = Math.max(0, end - blockBytes);
    const { bytesRead } = await place.handle.read(block, 0, end - start, start);
    for (let index = bytesRead - 1; index >= 0; index--) {
      // A newline ends the line before it, so the one at the end of the file begins no line.
      if (block[index] !== newline) continue;
      if (found === lines) {
        place.offset = start + index + 1;
        return found;
      }
      found++;
    }
  }
  place.offset = 0;
  return found;
}
