// Errors of pod networks, with the reason as a value. Callers use the predicates below.

import type { CommandError } from "../../../base/host/error.ts";
import { defined } from "../../../base/json/defined.ts";
import { isObject } from "../../../base/json/value.ts";
import { causesOf } from "../../../base/program/errors.ts";
import { type Json } from "./json.ts";

/**
 * The reasons for the error codes of the CNI specification, and for that of the Go library for namespaces.
 */
const reasons = {
  1: "incompatible-version",
  2: "unsupported-field",
  3: "unknown-container",
  4: "invalid-environment",
  5: "input-output",
  6: "decoding",
  7: "invalid-configuration",
  8: "invalid-namespace",
  11: "try-later",
  50: "not-available",
  51: "limited",
} as const;

export type CniReason =
  | (typeof reasons)[keyof typeof reasons]
  | "missing-plugin"
  | "timed-out"
  | "already-attached"
  | "failed";

export type Verb = "ADD" | "DEL" | "CHECK" | "GC" | "STATUS" | "VERSION";

interface CniErrorOptions extends ErrorOptions {
  readonly plugin?: string;
  /** The code given by the plugin; codes from 100 on are its own. */
  readonly code?: number;
  readonly details?: string;
  readonly stderr?: string;
}

export class CniError extends Error {
  override readonly name = "CniError";
  readonly reason: CniReason;
  readonly plugin: string | undefined;
  readonly code: number | undefined;
  readonly details: string | undefined;
  /** The plugin's output on stderr. */
  readonly stderr: string;

  constructor(reason: CniReason, message: string, options: CniErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.plugin = options.plugin;
    this.code = options.code;
    this.details = options.details;
    this.stderr = options.stderr ?? "";
  }
}

export const isTryLater = hasReason("try-later");
export const isIncompatibleVersion = hasReason("incompatible-version");
export const isUnknownContainer = hasReason("unknown-container");
export const isInvalidConfiguration = hasReason("invalid-configuration");
export const isMissingPlugin = hasReason("missing-plugin");
export const isTimedOut = hasReason("timed-out");
export const isAlreadyAttached = hasReason("already-attached");
/** Whether STATUS reports that no container can be added now, and perhaps that existing ones are impaired. */
export const isNotAvailable = hasReason("not-available", "limited");

/** Returns the error of a failed plugin: its own error object if it printed one. */
export function pluginFailed(error: CommandError, call: { verb: Verb; plugin: string }): CniError {
  const { verb, plugin } = call;
  const said = readError(error.stdout);
  const action = `Cannot ${verb} with plugin ${plugin}`;
  const common = { plugin, stderr: error.stderr, cause: error };
  if (said === undefined) {
    const [reason, state] = unsaid(error);
    return new CniError(reason, `${action}: ${state}`, common);
  }
  const { code, msg, details } = said;
  const text = details === undefined ? msg : `${msg}: ${details}`;
  const reason = reasons[code as keyof typeof reasons] ?? "failed";
  return new CniError(reason, `${action}: ${text}`, {
    ...common,
    code,
    ...defined({ details }),
  });
}

function unsaid(error: CommandError): readonly [CniReason, string] {
  if (error.reason === "timed-out") return ["timed-out", "it took too long"];
  if (error.reason === "not-installed") return ["missing-plugin", "the program is gone"];
  return ["failed", error.stderr.trim().slice(0, 1000) || error.message];
}

/** Throws one error for several, and nothing for none. */
export function throwCollected(action: string, errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length === 0) return;
  const messages = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  throw new AggregateError(errors, `Cannot ${action}: ${messages.join("; ")}`);
}

function readError(stdout: string): { code: number; msg: string; details?: string } | undefined {
  let json: Json;
  try {
    const parsed: unknown = JSON.parse(stdout);
    if (!isObject(parsed)) return undefined;
    json = parsed;
  } catch (error) {
    // A plugin that crashed may have printed anything or nothing.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { code, msg, details } = json;
  if (typeof code !== "number" || typeof msg !== "string") return undefined;
  return { code, msg, ...(typeof details === "string" && details !== "" && { details }) };
}

/** Returns a predicate; of several joined errors, one with the reason is enough. */
function hasReason(...wanted: readonly CniReason[]): (error: unknown) => boolean {
  return (error) =>
    causesOf(error).some((one) => one instanceof CniError && wanted.includes(one.reason));
}
