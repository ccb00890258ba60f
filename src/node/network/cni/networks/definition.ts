import { type NetworkConfiguration, parseNetwork, serviceControllerKey } from "../configuration.ts";
import type { NetworkDirectory } from "../directory.ts";
import { CniError } from "../error.ts";

/** The relevant part of a NetworkAttachmentDefinition. */
export interface NetworkDefinition {
  readonly metadata: {
    readonly namespace?: string;
    readonly name?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly config?: string };
}

/** Returns the network of a definition: its own configuration, or the one of its name on this node. */
export async function networkOf(
  definition: NetworkDefinition,
  directory: NetworkDirectory,
): Promise<NetworkConfiguration> {
  const { namespace = "", name = "", annotations } = definition.metadata;
  const where = `NetworkAttachmentDefinition ${namespace}/${name}`;
  const config = definition.spec?.config?.trim() ?? "";
  const network =
    config === ""
      ? await directory.named(name)
      : parseNetwork(parseConfig(config, where), { where, name });
  if (network === undefined) {
    const state = "it has no config, and no configuration on this node has its name";
    throw new CniError("invalid-configuration", `Cannot use ${where}: ${state}`);
  }
  const serviceController = annotations?.[serviceControllerKey];
  return serviceController === undefined ? network : marked(network, serviceController);
}

function marked(network: NetworkConfiguration, serviceController: string): NetworkConfiguration {
  const source = { ...network.source, [serviceControllerKey]: serviceController };
  return parseNetwork(source, { where: `network ${network.name}` });
}

function parseConfig(config: string, where: string): unknown {
  try {
    return JSON.parse(config);
  } catch (cause) {
    const state = `spec.config is no JSON: ${(cause as Error).message}`;
    throw new CniError("invalid-configuration", `Cannot use ${where}: ${state}`, { cause });
  }
}
