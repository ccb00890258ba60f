// Structured logs: lines for people on a terminal, JSON lines everywhere else.

import { formatJson, formatText, type LogLine } from "./log-format.ts";
import { oneOf } from "./option-types.ts";
import { defineOptions } from "./options.ts";

export type LogLevel = LogLine["level"];
export type LogFields = LogLine["fields"];

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log that adds these fields to every line. */
  child(fields: LogFields): Log;
  /** Whether lines of this level are printed, to skip fields that are costly to compute. */
  isEnabled(level: LogLevel): boolean;
}

export interface LogSettings {
  /** Writes a whole line, newline included. */
  write(line: string): void;
  readonly format: "text" | "json";
  readonly level?: LogLevel;
  readonly colour?: boolean;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
}

const levels = ["debug", "info", "warn", "error"] as const satisfies LogLevel[];

export const logOptions = defineOptions({
  logLevel: {
    type: oneOf(levels, "LEVEL"),
    default: "info",
    help: "The least level that is logged: debug, info, warn or error.",
    group: "Global Options",
  },
  logFormat: {
    type: oneOf(["auto", "text", "json"], "FORMAT"),
    default: "auto",
    help: "How log lines look: text, json, or auto, which is text on a terminal and json elsewhere.",
    group: "Global Options",
  },
});

export function createLog(settings: LogSettings, bound: LogFields = {}): Log {
  const { level: least = "info", now = Date.now, colour = false } = settings;
  const isEnabled = (level: LogLevel) => levels.indexOf(level) >= levels.indexOf(least);
  const format = settings.format === "json" ? formatJson : formatText;
  const logAt = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (!isEnabled(level)) return;
    const all = fields === undefined ? bound : { ...bound, ...fields };
    const withStacks = least === "debug";
    settings.write(format({ time: now(), level, message, fields: all, colour, withStacks }));
  };
  return {
    debug: logAt("debug"),
    info: logAt("info"),
    warn: logAt("warn"),
    error: logAt("error"),
    child: (fields) => createLog(settings, { ...bound, ...fields }),
    isEnabled,
  };
}

/** A log on a stream such as stderr, by the values of `logOptions`. */
export function createStreamLog(
  stream: { write(text: string): unknown; readonly isTTY?: boolean; hasColors?(): boolean },
  values: { readonly logLevel: LogLevel; readonly logFormat: "auto" | "text" | "json" },
): Log {
  const automatic = stream.isTTY === true ? "text" : "json";
  return createLog({
    write: (line) => void stream.write(line),
    level: values.logLevel,
    format: values.logFormat === "auto" ? automatic : values.logFormat,
    // hasColors respects NO_COLOR and terminals without colours.
    colour: stream.hasColors?.() === true,
  });
}
