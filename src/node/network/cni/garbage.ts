// GC and STATUS, which are about a network rather than a container. They exist since CNI 1.1.0.

import type { AttachmentKey } from "./attachment.ts";
import { baseOf } from "./chain.ts";
import type { NetworkConfiguration, PluginConfiguration } from "./configuration.ts";
import type { Json } from "./json.ts";
import type { Plugins } from "./plugins.ts";

const since = "1.1.0";

interface Call {
  readonly network: NetworkConfiguration;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects with the error of the first plugin that cannot take a container now, or is missing. */
export async function askStatus(plugins: Plugins, { network, signal }: Call): Promise<void> {
  for (const plugin of network.plugins) {
    const [first] = await speakers(plugins, { network, plugin });
    if (first === undefined) continue;
    const stdin = baseOf(plugin, { name: network.name, version: since });
    await plugins.call({ type: first, verb: "STATUS", environment: {}, stdin, signal });
  }
}

/** Calls GC of every plugin; returns the errors. */
export async function collectGarbage(
  plugins: Plugins,
  { network, valid, signal }: Call & { readonly valid: readonly AttachmentKey[] },
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const attempt = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      signal?.throwIfAborted();
      errors.push(error);
      return undefined;
    }
  };
  for (const plugin of network.plugins) {
    const stdin: Json = {
      ...baseOf(plugin, { name: network.name, version: since }),
      "cni.dev/valid-attachments": valid.map((key) => ({
        containerID: key.container,
        ifname: key.interface,
      })),
    };
    for (const type of (await attempt(speakers(plugins, { network, plugin }))) ?? []) {
      await attempt(plugins.call({ type, verb: "GC", environment: {}, stdin, signal }));
    }
  }
  return errors;
}

/**
 * Returns the plugins that know these verbs. Interface plugins older than 1.1.0 do not pass them on to their
 * IPAM plugin, and newer ones do not pass on GC, so that the IPAM plugin is called directly.
 */
async function speakers(
  plugins: Plugins,
  { network, plugin }: { network: NetworkConfiguration; plugin: PluginConfiguration },
): Promise<readonly string[]> {
  const types = [plugin.type, plugin.ipam].filter((type) => type !== undefined);
  const support = await Promise.all(types.map((type) => plugins.versionsOf(type)));
  if (!network.versions.includes(since)) return [];
  return types.filter((_, index) => support[index]?.includes(since));
}
