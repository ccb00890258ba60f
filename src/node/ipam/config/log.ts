import { defined } from "../../../base/json/defined.ts";
import type { Warn } from "./addresses.ts";
import type { Fields } from "./fields.ts";

/** The log levels, from the fewest messages to the most. */
export const logLevels = ["panic", "error", "warning", "verbose", "debug"] as const;

export type LogLevel = (typeof logLevels)[number];

export interface LogSettings {
  readonly file?: string;
  readonly level: LogLevel;
}

export function readLog(ipam: Fields, warn: Warn): LogSettings {
  const file = ipam.text("log_file");
  return {
    level: readLevel(ipam.text("log_level"), warn),
    ...defined({ file }),
  };
}

function readLevel(text: string | undefined, warn: Warn): LogLevel {
  if (text === undefined) return "warning";
  const level = logLevels.find((known) => known === text.toLowerCase());
  if (level === undefined) {
    warn(
      `ipam.log_level ${JSON.stringify(text)} is none of ${logLevels.join(", ")}: warning is used`,
    );
  }
  return level ?? "warning";
}
