import { extname, join } from "node:path";
import type { Files } from "../../../base/host/files.ts";
import { type NetworkConfiguration, parseNetwork } from "./configuration.ts";
import { CniError } from "./error.ts";

/** The configurations of a directory such as /etc/cni/net.d. Read anew each time, as files change. */
export interface NetworkDirectory {
  /** The first by file name: the default network. Nothing when there is no configuration. */
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

  /** Plugins in a folder with the network's name come after those in the list. */
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

    /** A neighbour that cannot be read hides only itself. */
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

/** Nothing when the file went away since it was listed. */
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
