import type { Commands, RunOptions } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import { isObject } from "../../../base/json/value.ts";
import { CniError, pluginFailed, type Verb } from "./error.ts";
import { type Json } from "./json.ts";
import { type CniVersion, knownVersions } from "./versions.ts";

export interface PluginProgram {
  readonly path: string;
  /** The time of change, which differs when the program is replaced. */
  readonly changed: number;
}

/** The search path for plugin programs. */
export interface PluginPath {
  readonly directories: readonly string[];
  find(type: string): Promise<PluginProgram | undefined>;
}

export interface PluginCall {
  readonly type: string;
  readonly verb: Verb;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: Json;
  readonly signal?: AbortSignal | undefined;
}

interface Options {
  readonly commands: Commands;
  readonly path: PluginPath;
  readonly timeoutMs: number;
}

/** Runs plugins, and remembers which versions each of them supports. */
export class Plugins {
  readonly #options: Options;
  readonly #versions = new Map<
    string,
    { changed: number; asked: Promise<readonly CniVersion[]> }
  >();

  constructor(options: Options) {
    this.#options = options;
  }

  async call(call: PluginCall): Promise<Json | undefined> {
    return this.#run(await this.#find(call.type), call);
  }

  async versionsOf(type: string): Promise<readonly CniVersion[]> {
    const program = await this.#find(type);
    const remembered = this.#versions.get(program.path);
    if (remembered?.changed === program.changed) return remembered.asked;
    const asked = this.#askVersions(program, type);
    this.#versions.set(program.path, { changed: program.changed, asked });
    asked.catch(() => this.#versions.delete(program.path));
    return asked;
  }

  async #askVersions(program: PluginProgram, type: string): Promise<readonly CniVersion[]> {
    const newest = knownVersions.at(-1);
    const call = { type, verb: "VERSION", environment: {}, stdin: { cniVersion: newest } } as const;
    const answer = await this.#run(program, call);
    const supported = answer?.["supportedVersions"];
    if (Array.isArray(supported)) return knownVersions.filter((known) => supported.includes(known));
    const message = `Cannot ask plugin ${type} for its versions: it did not list any`;
    throw new CniError("decoding", message, { plugin: type });
  }

  async #find(type: string): Promise<PluginProgram> {
    const { path } = this.#options;
    const program = await path.find(type);
    if (program !== undefined) return program;
    const state = `there is no such program in ${path.directories.join(":") || "an empty path"}`;
    throw new CniError("missing-plugin", `Cannot use plugin ${type}: ${state}`, { plugin: type });
  }

  async #run(program: PluginProgram, call: PluginCall): Promise<Json | undefined> {
    const { commands, path, timeoutMs } = this.#options;
    const { type, verb, environment, stdin, signal } = call;
    const options: RunOptions = {
      stdin: JSON.stringify(stdin),
      timeoutMs,
      signal,
      environment: {
        ...withoutInherited,
        CNI_COMMAND: verb,
        CNI_PATH: path.directories.join(":"),
        ...environment,
      },
    };
    try {
      const { stdout } = await commands.run([program.path], options);
      return stdout.trim() === "" ? undefined : parseAnswer(stdout, call);
    } catch (error) {
      throw error instanceof CommandError ? pluginFailed(error, { verb, plugin: type }) : error;
    }
  }
}

/** Variables of a plugin call that this process may itself have inherited, and must not pass on. */
const withoutInherited = {
  CNI_CONTAINERID: undefined,
  CNI_NETNS: undefined,
  CNI_IFNAME: undefined,
  CNI_ARGS: undefined,
};

function parseAnswer(stdout: string, { type, verb }: PluginCall): Json {
  const message = `Cannot ${verb} with plugin ${type}: it printed no JSON object`;
  try {
    const parsed: unknown = JSON.parse(stdout);
    if (isObject(parsed)) return parsed;
  } catch (cause) {
    throw new CniError("decoding", message, { plugin: type, cause });
  }
  throw new CniError("decoding", message, { plugin: type });
}
