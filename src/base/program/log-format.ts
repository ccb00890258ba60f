// Formats one line of a log, as text or as JSON.

import { causesOf, messageOf, reasonOf } from "./errors.ts";

export interface LogLine {
  readonly time: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  /** The fields; errors among them are printed with their reasons and causes. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly colour: boolean;
  readonly withStacks: boolean;
}

export function formatJson(line: LogLine): string {
  const record: Record<string, unknown> = {
    time: new Date(line.time).toISOString(),
    level: line.level,
    message: line.message,
  };
  for (const [name, value] of Object.entries(line.fields)) {
    const field = name in record ? `field.${name}` : name;
    record[field] = value instanceof Error ? errorRecord(value, line.withStacks) : value;
  }
  return `${toJson(record)}\n`;
}

export function formatText(line: LogLine): string {
  const time = new Date(line.time).toTimeString().slice(0, 8);
  const milliseconds = String(new Date(line.time).getMilliseconds()).padStart(3, "0");
  const paint = (code: number, text: string) =>
    line.colour ? `\x1b[${code}m${text}\x1b[0m` : text;
  const fields = Object.entries(line.fields);
  const pairs = fields
    .filter(([, value]) => !(value instanceof Error))
    .map(([name, value]) => ` ${paint(2, `${name}=`)}${fieldText(value)}`);
  const errors = fields
    .filter(([, value]) => value instanceof Error)
    .flatMap(([, value]) => errorLines(value, line.withStacks));
  const level = paint(levelColours[line.level], line.level.toUpperCase().padEnd(5));
  const first = `${paint(2, `${time}.${milliseconds}`)} ${level} ${plain(line.message)}${pairs.join("")}`;
  return [first, ...errors.map((text) => `    ${text}`), ""].join("\n");
}

const levelColours: Readonly<Record<LogLine["level"], number>> = {
  debug: 2,
  info: 36,
  warn: 33,
  error: 31,
};

function errorRecord(error: Error, withStack: boolean): Record<string, unknown> {
  const [, ...causes] = causesOf(error);
  const reason = reasonOf(error);
  return {
    message: messageOf(error),
    ...(reason === undefined ? {} : { reason }),
    ...(causes.length === 0 ? {} : { causes: causes.map(withReason) }),
    ...(withStack ? { stack: error.stack } : {}),
  };
}

function errorLines(error: unknown, withStack: boolean): string[] {
  const stack = withStack && error instanceof Error ? (error.stack ?? "") : "";
  return [
    ...causesOf(error).map(
      (each, index) => (index === 0 ? "" : "because: ") + plain(withReason(each)),
    ),
    ...stack.split("\n").slice(1),
  ];
}

function withReason(error: unknown): string {
  const message = messageOf(error);
  const reason = reasonOf(error);
  return reason === undefined || message.includes(reason) ? message : `${message} (${reason})`;
}

function fieldText(value: unknown): string {
  const text = typeof value === "string" ? value : toJson(value);
  if (typeof value !== "string" && !text.startsWith('"')) return text;
  const bare = typeof value === "string" ? value : text.slice(1, -1);
  return /^[^\s"=\\\p{Cc}]+$/u.test(bare) ? bare : toJson(value);
}

/** Escapes control characters: a log line must not control the terminal nor forge another line. */
function plain(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** Formats a value as JSON and never throws: a log that breaks its program is worse than a poor line. */
function toJson(value: unknown): string {
  const seen: unknown[] = [];
  const text = JSON.stringify(value, function (this: unknown, _name, inner: unknown) {
    if (typeof inner === "bigint") return inner.toString();
    if (inner instanceof Map) return Object.fromEntries(inner) as unknown;
    if (inner instanceof Set) return [...inner] as unknown[];
    if (inner instanceof Error) return withReason(inner);
    if (typeof inner !== "object" || inner === null) return inner;
    while (seen.length > 0 && seen.at(-1) !== this) seen.pop();
    if (seen.includes(inner)) return "[circular]";
    seen.push(inner);
    return inner;
  });
  return text ?? String(value);
}
