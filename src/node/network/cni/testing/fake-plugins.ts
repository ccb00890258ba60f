import { FakeCommands } from "../../../../base/host/command.fake.ts";
import type { CommandOutput, RunOptions } from "../../../../base/host/command.ts";
import { commandFailed } from "../../../../base/host/error.ts";
import type { Verb } from "../error.ts";
import type { Json } from "../json.ts";
import type { PluginPath } from "../plugins.ts";

export interface FakeCall {
  readonly plugin: string;
  readonly verb: Verb;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Json;
}

type Behaviour = (call: FakeCall) => Json | undefined | Promise<Json | undefined>;

/** The error to throw in a behaviour for a plugin that fails with a CNI error. */
export class FakePluginError extends Error {
  readonly json: Json;

  constructor(json: Json) {
    super(JSON.stringify(json));
    this.json = json;
  }
}

/** Fake plugins that behave as a test says; VERSION answers with the versions they are said to support. */
export class FakePlugins extends FakeCommands {
  readonly pluginCalls: FakeCall[] = [];
  readonly #programs = new Map<string, { versions: readonly string[]; behave: Behaviour }>();
  changed = 1;

  readonly path: PluginPath = {
    directories: ["/opt/cni", "/usr/lib/cni"],
    find: async (type) =>
      this.#programs.has(type) ? { path: `/opt/cni/${type}`, changed: this.changed } : undefined,
  };

  install(type: string, versions: readonly string[], behave: Behaviour = () => ({})): this {
    this.changed++;
    this.#programs.set(type, { versions, behave });
    return this;
  }

  uninstall(type: string): void {
    this.#programs.delete(type);
  }

  /** The calls as text: `ADD bridge c1/eth0`. */
  get trace(): readonly string[] {
    return this.pluginCalls.map(({ verb, plugin, environment }) => {
      const { CNI_CONTAINERID: container, CNI_IFNAME: link } = environment;
      return `${verb} ${plugin}${container === undefined ? "" : ` ${container}/${link}`}`;
    });
  }

  /** Returns the calls of one verb. */
  of(verb: Verb): readonly FakeCall[] {
    return this.pluginCalls.filter((call) => call.verb === verb);
  }

  override async run(command: readonly string[], options: RunOptions = {}): Promise<CommandOutput> {
    await super.run(command, options);
    const plugin = command[0]?.replace("/opt/cni/", "") ?? "";
    const environment = options.environment ?? {};
    const verb = environment["CNI_COMMAND"] as Verb;
    const stdin = JSON.parse(String(options.stdin)) as Json;
    const call = { plugin, verb, environment, stdin };
    this.pluginCalls.push(call);
    const program = this.#programs.get(plugin);
    if (verb === "VERSION") return printed({ supportedVersions: program?.versions });
    try {
      return printed(await program?.behave(call));
    } catch (error) {
      if (!(error instanceof FakePluginError)) throw error;
      throw commandFailed(command, {
        exitCode: 1,
        stdout: JSON.stringify(error.json),
        stderr: `${plugin} logs`,
      });
    }
  }
}

function printed(json: Json | undefined): CommandOutput {
  return { stdout: json === undefined ? "" : JSON.stringify(json), stderr: "" };
}
