import { appendFileSync, writeSync } from "node:fs";
import { systemCode } from "../../base/program/errors.ts";
import { messageOf } from "./errors.ts";

/** Appends a line to a log file; without a file, and where it cannot be written, to standard error. */
export function writeLog(line: string, file: string | undefined): void {
  if (file === undefined) return writeStandardError(line);
  // A log that cannot be written must not keep a pod from its address.
  try {
    appendFileSync(file, line);
  } catch (error) {
    writeStandardError(`${line.trimEnd()} (Cannot log to ${file}: ${messageOf(error)})\n`);
  }
}

function writeStandardError(line: string): void {
  try {
    writeSync(2, line);
  } catch (error) {
    if (!["EPIPE", "EBADF", "EAGAIN"].includes(systemCode(error) ?? "")) throw error;
  }
}
