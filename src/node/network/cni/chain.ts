import { type Attachment, formatArguments } from "./attachment.ts";
import {
  type NetworkConfiguration,
  onlyForCapabilitiesKey,
  type PluginConfiguration,
} from "./configuration.ts";
import { CniError, isMissingPlugin, type Verb } from "./error.ts";
import type { Json } from "./json.ts";
import type { Plugins } from "./plugins.ts";
import { convertResult } from "./result.ts";
import { type CniVersion, isAtLeast, negotiate } from "./versions.ts";

/** The plugins of a network at the version they agreed on, for one attachment. */
export class Chain {
  readonly version: CniVersion;
  readonly #plugins: Plugins;
  readonly #network: NetworkConfiguration;
  readonly #attachment: Attachment;
  readonly #members: readonly PluginConfiguration[];

  private constructor(plugins: Plugins, { network, attachment }: Link, version: CniVersion) {
    this.#plugins = plugins;
    this.#network = network;
    this.#attachment = attachment;
    this.#members = network.plugins.filter((plugin) => isNeeded(plugin, attachment));
    this.version = version;
  }

  /** Opens a chain. For deletion missing plugins are left out, since the others can still delete. */
  static async open(plugins: Plugins, link: Link, purpose: Purpose = "use"): Promise<Chain> {
    return new Chain(plugins, link, await agreedVersion(plugins, link.network, purpose));
  }

  /**
   * Adds the attachment; `onResult` is called after each plugin, so that the work done is known if the next
   * one fails.
   */
  async add(onResult: (result: Json) => void, signal?: AbortSignal): Promise<Json> {
    let result: Json | undefined;
    for (const plugin of this.#members) {
      const answer = await this.#call("ADD", plugin, { result, signal });
      if (answer === undefined) {
        const message = `Cannot ADD with plugin ${plugin.type}: it printed no result`;
        throw new CniError("decoding", message, { plugin: plugin.type });
      }
      result = convertResult(answer, this.version);
      onResult(result);
    }
    return result ?? {};
  }

  async check(result: Json, signal?: AbortSignal): Promise<void> {
    for (const plugin of this.#members) await this.#call("CHECK", plugin, { result, signal });
  }

  /** Calls every plugin for deletion, the last one first; returns the errors. */
  async delete(result: Json | undefined, signal?: AbortSignal): Promise<readonly unknown[]> {
    const errors: unknown[] = [];
    for (const plugin of this.#members.toReversed()) {
      try {
        await this.#call("DEL", plugin, { result, signal });
      } catch (error) {
        signal?.throwIfAborted();
        errors.push(error);
      }
    }
    return errors;
  }

  #call(verb: Verb, plugin: PluginConfiguration, { result, signal }: CallState) {
    return this.#plugins.call({
      type: plugin.type,
      verb,
      signal,
      environment: environmentOf(this.#attachment),
      stdin: {
        ...baseOf(plugin, { name: this.#network.name, version: this.version }),
        ...toldTo(plugin, this.#attachment),
        ...(result !== undefined &&
          this.#passesResult(verb) && {
            prevResult: convertResult(result, this.version),
          }),
      },
    });
  }

  #passesResult(verb: Verb): boolean {
    return verb !== "DEL" || isAtLeast(this.version, "0.4.0");
  }
}

interface Link {
  readonly network: NetworkConfiguration;
  readonly attachment: Attachment;
}

type Purpose = "use" | "delete";

interface CallState {
  readonly result: Json | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Returns a plugin's configuration without the keys that are for the runtime alone. */
export function baseOf(
  plugin: PluginConfiguration,
  { name, version }: { name: string; version: CniVersion },
): Json {
  const {
    capabilities: _,
    cniVersions: __,
    [onlyForCapabilitiesKey]: ___,
    ...rest
  } = plugin.source;
  return { ...rest, cniVersion: version, name };
}

async function agreedVersion(
  plugins: Plugins,
  network: NetworkConfiguration,
  purpose: Purpose,
): Promise<CniVersion> {
  if (network.plugins.length === 0) {
    const message = `Cannot use network ${network.name}: it has no plugins`;
    throw new CniError("invalid-configuration", message);
  }
  const support = new Map<string, readonly CniVersion[]>();
  for (const type of network.plugins.flatMap((plugin) => [plugin.type, plugin.ipam])) {
    if (type === undefined || support.has(type)) continue;
    try {
      support.set(type, await plugins.versionsOf(type));
    } catch (error) {
      if (purpose === "use" || !isMissingPlugin(error)) throw error;
    }
  }
  return negotiate(network.versions, support);
}

function isNeeded(plugin: PluginConfiguration, { capabilities = {} }: Attachment): boolean {
  const { isOnlyForCapabilities, capabilities: own } = plugin;
  return !isOnlyForCapabilities || own.some((name) => capabilities[name] !== undefined);
}

function environmentOf({ container, interface: link, namespace, args = {} }: Attachment) {
  return {
    CNI_CONTAINERID: container,
    CNI_IFNAME: link,
    CNI_NETNS: namespace,
    CNI_ARGS: formatArguments(args),
  };
}

/** Returns the capability arguments that the plugin declares, and the arguments for all plugins. */
function toldTo(plugin: PluginConfiguration, attachment: Attachment): Json {
  const { capabilities = {}, cniArguments } = attachment;
  const runtimeConfig = Object.fromEntries(
    plugin.capabilities
      .filter((name) => capabilities[name] !== undefined)
      .map((name) => [name, capabilities[name]]),
  );
  const args = plugin.source["args"] as { readonly cni?: Json } | undefined;
  return {
    ...(Object.keys(runtimeConfig).length > 0 && { runtimeConfig }),
    ...(cniArguments !== undefined && {
      args: { ...args, cni: { ...args?.cni, ...cniArguments } },
    }),
  };
}
