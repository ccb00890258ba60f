import type { Log } from "../../src/base/program/log.ts";

/** A log that writes nothing: a run is told by its violation. */
export const quietLog: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => quietLog,
  isEnabled: () => false,
};

function nothing(): void {
  // Messages of thousands of runs would hide the one that matters.
}
