import { extname, join } from "node:path";
import type { Files } from "../../../base/host/files.ts";
import { type NetworkConfiguration, parseNetwork } from "./configuration.ts";
import { CniError } from "./error.ts";

/**
 * A directory with network configurations such as /etc/cni/net.d. Files are read anew each time, since they
 * change.
 */
export interface NetworkDirectory {
  /**
   * Returns the first configuration by file name, which is the default network; `undefined` if there is none.
   */
  first(): Promise<NetworkConfiguration | undefined>;
  named(name: string): Promise<NetworkConfiguration | undefined>;
}

export function openNetworkDirectory(files: Files, directory: string): NetworkDirectory {
  const read = async (file: string): Promise<NetworkConfiguration | undefined> => {
    const where = join(directory, file);
    const json = await readJson(files, where);
    if (json === undefined) return undefined;
    const network = parseNetwork(json, { where });
    return network.loadOnlyInlinedPlugins ? network : withFolder(network, where);
  };

  /** Adds the plugins in a folder with the network's name behind those of the list. */
  const withFolder = async (
    network: NetworkConfiguration,
    where: string,
  ): Promise<NetworkConfiguration> => {
    const folder = join(directory, network.name);
    const names = (await files.list(folder)).filter((name) => extname(name) === ".conf");
    const found = await Promise.all(names.map((name) => readJson(files, join(folder, name))));
    const plugins = [...network.plugins.map(({ source }) => source), ...found];
    return parseNetwork({ ...network.source, plugins, loadOnlyInlinedPlugins: true }, { where });
  };

  const configurations = async (): Promise<readonly string[]> =>
    (await files.list(directory)).filter((name) =>
      [".conf", ".conflist", ".json"].includes(extname(name)),
    );

  return {
    async first() {
      for (const file of await configurations()) {
        const network = await read(file);
        if (network !== undefined) return network;
      }
      return undefined;
    },

    /** Finds a network by name; other files that cannot be read are no obstacle. */
    async named(name) {
      const refused: unknown[] = [];
      for (const file of await configurations()) {
        const network = await read(file).catch((error: unknown) => void refused.push(error));
        if (network?.name === name) return network;
      }
      if (refused.length > 0) throw refused[0];
      return undefined;
    },
  };
}

/** Reads a JSON file; `undefined` if it has disappeared since it was listed. */
async function readJson(files: Files, path: string): Promise<unknown> {
  const text = await files.read(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const state = (cause as Error).message;
    throw new CniError("decoding", `Cannot read ${path}: ${state}`, { cause });
  }
}
