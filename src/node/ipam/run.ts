import { isObject } from "../../base/json/value.ts";
import { type Configuration, parseConfiguration } from "./config/configuration.ts";
import type { DatastoreSettings } from "./config/datastore.ts";
import type { JsonObject } from "./config/fields.ts";
import { type LogLevel, type LogSettings, logLevels } from "./config/log.ts";
import type { Datastore } from "./datastore/port.ts";
import { type Environment, parseEnvironment, type Variables } from "./environment.ts";
import { IpamError, messageOf, toCniError } from "./errors.ts";
import { toResult } from "./result.ts";
import { add } from "./verbs/add.ts";
import type { Call } from "./verbs/call.ts";
import { check } from "./verbs/check.ts";
import { collect } from "./verbs/collect.ts";
import { release } from "./verbs/delete.ts";
import { notAvailable, status } from "./verbs/status.ts";
import { newestVersion, supportedVersions } from "./versions.ts";

/** One start of the plugin by a CNI runtime. */
export interface Invocation {
  readonly variables: Variables;
  /** The text of standard input. */
  readonly input: string;
  /** The name of this node, unless the configuration gives another. */
  readonly node: string;
}

export interface Machine {
  readonly now: () => number;
  /** Writes a line to the log file, or to standard error where there is none. */
  readonly writeLog: (line: string, file: string | undefined) => void;
  open(settings: DatastoreSettings): Promise<Datastore>;
  /** Carries out an invocation together with those of other processes. */
  together?(invocation: Invocation): Promise<Outcome>;
}

export interface Outcome {
  /** The text for standard output; empty where a verb prints nothing. */
  readonly output: string;
  readonly failed: boolean;
}

/** Carries out a verb. Never throws: every failure is an error object of the CNI specification. */
export async function run(invocation: Invocation, machine: Machine): Promise<Outcome> {
  const log = logOf(machine);
  let cniVersion: string = newestVersion;
  let configuration: Configuration | undefined;
  try {
    const environment = parseEnvironment(invocation.variables);
    const network = decode(invocation.input, environment);
    cniVersion = versionFor(network);
    if (environment.command === "VERSION") return succeeded({ cniVersion, supportedVersions });
    configuration = parseConfiguration(network);
    if (machine.together !== undefined && configuration.datastore.type !== "local") {
      return await machine.together(invocation);
    }
    for (const warning of configuration.warnings) log(configuration.log, "warning", warning);
    const datastore = await machine.open(configuration.datastore);
    const node = configuration.nodeName ?? invocation.node;
    const call = { environment, configuration, datastore, node, now: machine.now };
    return await carryOut(call, log);
  } catch (error) {
    const isStatus = invocation.variables.CNI_COMMAND === "STATUS";
    const failure = toCniError(isStatus ? notAvailable(error) : error, cniVersion);
    if (configuration !== undefined) log(configuration.log, "error", failure.msg);
    return { output: `${JSON.stringify(failure)}\n`, failed: true };
  }
}

async function carryOut(call: Call, log: Say): Promise<Outcome> {
  try {
    return await verb(call, log);
  } finally {
    await call.datastore.close();
  }
}

async function verb(call: Call, log: Say): Promise<Outcome> {
  const { command } = call.environment;
  switch (command) {
    case "ADD":
      return succeeded(toResult(await add(call), call.configuration.cniVersion));
    case "DEL":
      await release(call);
      break;
    case "CHECK":
      await check(call);
      break;
    case "STATUS":
      await status(call);
      break;
    case "GC":
      await collectGarbage(call, log);
      break;
    case "VERSION":
      break;
  }
  return { output: "", failed: false };
}

/** Carries out GC. Credentials that may not list pods are no failure: the cluster's reconciler does it then. */
async function collectGarbage(call: Call, log: Say): Promise<void> {
  const say = (message: string) => log(call.configuration.log, "verbose", message);
  try {
    for (const { address, owner } of await collect(call)) {
      say(`GC released ${address.toString()} of ${owner}`);
    }
  } catch (error) {
    if (!(error instanceof IpamError) || error.reason !== "notPermitted") throw error;
    say(`GC left everything to the reconciler: ${error.message}`);
  }
}

function decode(input: string, { command }: Environment): JsonObject {
  if (command === "VERSION" && input.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch (error) {
    throw new IpamError("decoding", `Cannot decode standard input: ${messageOf(error)}`, error);
  }
  if (!isObject(value)) {
    throw new IpamError("decoding", "Cannot decode standard input: it is no JSON object");
  }
  return value;
}

/**
 * Returns the runtime's CNI version if it is supported; else the newest, in which earlier errors are
 * reported.
 */
function versionFor({ cniVersion }: JsonObject): string {
  return supportedVersions.find((known) => known === cniVersion) ?? newestVersion;
}

function succeeded(value: unknown): Outcome {
  return { output: `${JSON.stringify(value)}\n`, failed: false };
}

/** A log whose lines say when. */
type Say = (settings: LogSettings, level: LogLevel, message: string) => void;

/** Returns a log that writes one line per message, down to the level that the settings ask for. */
function logOf({ now, writeLog }: Pick<Machine, "now" | "writeLog">): Say {
  return (settings, level, message) => {
    if (logLevels.indexOf(level) > logLevels.indexOf(settings.level)) return;
    writeLog(`${new Date(now()).toISOString()} [${level}] ${message}\n`, settings.file);
  };
}
