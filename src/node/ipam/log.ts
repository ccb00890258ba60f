import { appendFileSync, writeSync } from "node:fs";
import { type LogLevel, type LogSettings, logLevels } from "./config/log.ts";
import { messageOf, systemCode } from "./errors.ts";

/** Writes one line per message to the configured file, or to standard error. */
export function log(settings: LogSettings, level: LogLevel, message: string): void {
  if (logLevels.indexOf(level) > logLevels.indexOf(settings.level)) return;
  const line = `${new Date().toISOString()} [${level}] ${message}\n`;
  if (settings.file === undefined) return writeStandardError(line);
  // A log that cannot be written must not keep a pod from its address.
  try {
    appendFileSync(settings.file, line);
  } catch (error) {
    writeStandardError(`${line.trimEnd()} (Cannot log to ${settings.file}: ${messageOf(error)})\n`);
  }
}

function writeStandardError(line: string): void {
  try {
    writeSync(2, line);
  } catch (error) {
    if (!["EPIPE", "EBADF", "EAGAIN"].includes(systemCode(error) ?? "")) throw error;
  }
}
