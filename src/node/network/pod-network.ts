// The pod network: the agent's port for networks, implemented by the CNI runtime.
import { join } from "node:path";
import type { Client } from "../../api/client/client.ts";
import { isNotFound } from "../../api/client/errors.ts";
import type { Pod } from "../../api/types/core.ts";
import { type CallOptions, type Commands, inNamespace } from "../../base/host/command.ts";
import type { Files } from "../../base/host/files.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import { Address } from "../../base/net/address.ts";
import { messageOf } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import type { PodAddress, PodNetwork } from "../pods/pods.ts";
import { type Attached, addressesOf } from "./cni/attached.ts";
import { type PortMapping, podArguments } from "./cni/attachment.ts";
import type { NetworkConfiguration } from "./cni/configuration.ts";
import { type NetworkDirectory, openNetworkDirectory } from "./cni/directory.ts";
import { attachNetworks } from "./cni/networks/attach.ts";
import { completeIpam, type IpamDefaults } from "./cni/networks/complete-ipam.ts";
import { networkOf } from "./cni/networks/definition.ts";
import { planNetworks } from "./cni/networks/plan.ts";
import {
  type NetworkSelection,
  networksAnnotation,
  parseNetworkSelections,
} from "./cni/networks/selection.ts";
import { networkStatus } from "./cni/networks/status.ts";
import { systemPluginPath } from "./cni/plugin-path.system.ts";
import { CniRuntime } from "./cni/runtime.ts";
import { SourceGuard } from "./guard/source-guard.ts";

export interface CniPodNetworkOptions {
  readonly client: Client;
  readonly commands: Commands;
  readonly files: Files;
  readonly log: Log;
  /** The directory with network configurations. */
  readonly confDirectory: string;
  /** The directories with plugins. */
  readonly binDirectories: readonly string[];
  /** The directory in which attachments are recorded. */
  readonly cacheDirectory: string;
  /** The defaults for IPAM settings that networks leave open. */
  readonly ipam: Omit<IpamDefaults, "ownTypes"> & {
    /** The directory with our own plugin; a plugin of that name earlier on the path is not ours. */
    readonly ownDirectory: string;
  };
}

export interface CniPodNetwork extends PodNetwork {
  /** Rejects with the reason if no pod can be attached now. */
  status(options?: CallOptions): Promise<void>;
  /** Restores the rules that keep pods from speaking for others, should somebody have changed them. */
  guard(): Promise<void>;
}

const definitions = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  plural: "network-attachment-definitions",
  kind: "NetworkAttachmentDefinition",
  namespaced: true,
};
const firstInterface = "eth0";
/**
 * The names of our IPAM plugin in networks: its own, and that of the plugin whose configurations it accepts.
 */
const ipamNames = ["tandem-ipam", "whereabouts"];
const statusAnnotation = "k8s.v1.cni.cncf.io/network-status";

export function openCniPodNetwork(options: CniPodNetworkOptions): CniPodNetwork {
  const { client, commands, files, confDirectory, log } = options;
  const directory = openNetworkDirectory(files, confDirectory);
  const path = systemPluginPath(options.binDirectories);
  const runtime = new CniRuntime({ commands, files, path, directory: options.cacheDirectory });

  const allAttached = () => runtime.attached();
  const guard = new SourceGuard({ nft: systemNft(commands), attached: allAttached, log });

  const onLeft = (sandbox: string, errors: readonly unknown[]): void => {
    for (const error of errors) log.warn("A network could not be undone", { sandbox, error });
  };

  const complete = async (network: NetworkConfiguration): Promise<NetworkConfiguration> => {
    const { ownDirectory, ...defaults } = options.ipam;
    const found = await Promise.all(
      ipamNames.map(async (type) => ({ type, path: (await path.find(type))?.path })),
    );
    const ours = found.filter((one) => one.path === join(ownDirectory, one.type));
    return completeIpam(network, { ...defaults, ownTypes: ours.map(({ type }) => type) });
  };

  const defaultNetwork = async (): Promise<NetworkConfiguration> => {
    const network = await directory.first();
    if (network !== undefined) return complete(network);
    throw new Error(
      `Cannot attach pods: there is no network configuration in ${confDirectory} yet`,
    );
  };

  return {
    guard: () => guard.restore(),
    status: async (call) => runtime.status(await defaultNetwork(), call),
    async attach({ pod, sandbox, namespace, preferred = [], signal }) {
      const inside = inNamespace(commands, namespace);
      const selections = selectionsOf(pod);
      const further = await Promise.all(
        selections.map(async (selection) => {
          const network = await resolve(selection, { client, directory, signal });
          return { selection, network: await complete(network) };
        }),
      );
      const portMappings = portMappingsOf(pod);
      const capabilities = portMappings.length > 0 ? { capabilities: { portMappings } } : {};
      const plan = planNetworks({ network: await defaultNetwork(), ...capabilities }, further);
      if (plan.some(({ network }) => network.plugins[0]?.type !== "bridge")) {
        // Addresses from IPAM are unique, so that duplicate address detection is not needed. Only the bridge
        // plugin skips it by itself.
        await systemSysctl(inside).write({ "net/ipv6/conf/default/accept_dad": 0 }, { signal });
      }
      const { namespace: podNamespace, name, uid = "" } = pod.metadata;
      const attached = await attachNetworks(plan, {
        runtime,
        ip: systemIp(inside),
        container: sandbox,
        namespace,
        args: podArguments({ namespace: podNamespace, name, uid, container: sandbox }),
        previous: previousOf(pod, preferred),
        onLeft: (errors) => onLeft(sandbox, errors),
        signal,
      });
      await guard.sync();
      if (selections.length > 0) await tellNetworks(client, pod, attached);
      return attached.flatMap((one) => addressesOf(one).map(withoutPrefix));
    },
    async detach(sandbox, call) {
      const errors = await runtime.deleteAll(sandbox, call);
      await guard.sync();
      return errors.map(messageOf);
    },
    async collect(listSandboxes, { signal } = {}) {
      const remembered = await runtime.containers();
      const sandboxes = new Set(await listSandboxes());
      for (const container of remembered.filter((one) => !sandboxes.has(one))) {
        onLeft(container, await runtime.deleteAll(container, { signal }));
      }
      await guard.sync();
      const listValid = async () => {
        const present = new Set(await listSandboxes());
        return (await allAttached()).filter(({ container }) => present.has(container));
      };
      const first = await directory.first();
      const network = first && (await complete(first));
      if (network !== undefined) await runtime.collect(network, listValid, { signal });
    },
  };
}

function selectionsOf({ metadata }: Pod): readonly NetworkSelection[] {
  const annotation = metadata.annotations?.[networksAnnotation] ?? "";
  return parseNetworkSelections(annotation, metadata.namespace);
}

async function resolve(
  selection: NetworkSelection,
  { client, directory, signal }: CallOptions & { client: Client; directory: NetworkDirectory },
): Promise<NetworkConfiguration> {
  const definition = await client.custom(definitions).get(selection, { signal });
  return networkOf(definition, directory);
}

/** Returns the port mappings: for both families, unless a port names an address. */
function portMappingsOf({ spec }: Pod): readonly PortMapping[] {
  const ports = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].flatMap(
    (container) => container.ports ?? [],
  );
  return ports.flatMap(({ hostPort = 0, containerPort, protocol = "TCP", hostIP }) =>
    hostPort === 0
      ? []
      : [
          {
            hostPort,
            containerPort,
            protocol: protocol.toLowerCase() as PortMapping["protocol"],
            ...(hostIP !== undefined && hostIP !== "" && { hostIP }),
          },
        ],
  );
}

/**
 * Returns the pod's previous addresses by interface; its annotation tells them if there was more than one
 * interface.
 */
function previousOf(
  { metadata }: Pod,
  preferred: readonly Address[],
): Readonly<Record<string, readonly Address[]>> {
  const told = statusIn(metadata.annotations?.[statusAnnotation]);
  if (told.length === 0) return { [firstInterface]: preferred };
  const isPreferred = (address: Address) => preferred.some((one) => one.equals(address));
  return Object.fromEntries(
    told.map(({ interface: link = firstInterface, ips = [] }) => [
      link,
      ips.flatMap((ip) => Address.tryParse(ip) ?? []).filter(isPreferred),
    ]),
  );
}

/** Parses the status annotation, which anybody may have written. */
function statusIn(
  text = "[]",
): readonly { readonly interface?: string; readonly ips?: readonly string[] }[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? (parsed as ReturnType<typeof statusIn>) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

async function tellNetworks(
  client: Client,
  { metadata }: Pod,
  attached: readonly Attached[],
): Promise<void> {
  const place = { namespace: metadata.namespace, name: metadata.name };
  try {
    const merge = { metadata: { annotations: networkStatus(attached) } };
    await client.resource("v1", "Pod").patch(place, { merge });
  } catch (error) {
    // A static pod may not be in the API yet, and a deleted one needs no annotation.
    if (!isNotFound(error)) throw error;
  }
}

function withoutPrefix(found: ReturnType<typeof addressesOf>[number]): PodAddress {
  const { prefix: _, ...rest } = found;
  return rest;
}
