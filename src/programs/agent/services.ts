// Wires services on a node: the service proxy, and the announcement of load balancer addresses.
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Part } from "../../base/program/run-all.ts";
import type { FamilyState } from "../../node/status/status.ts";
import type { AgentSettings, NodeParts } from "./settings.ts";

export interface ServicesParts extends NodeParts {
  /** Called with how services are in the kernel; with nothing where another program keeps them. */
  readonly onServices: (families: readonly FamilyState[]) => void;
}

export function servicesOf(settings: AgentSettings, node: ServicesParts): readonly Part[] {
  const announcer = settings.announce ? [announcerOf(settings, node)] : [];
  return [...proxyOf(settings, node), ...announcer];
}

/** The service proxy, unless another program is the proxy of this node. */
function proxyOf(settings: AgentSettings, node: ServicesParts): readonly Part[] {
  const { proxyMode: mode, log } = settings;
  const { name, metrics, places, onServices } = node;
  if (mode === "none") {
    onServices([]);
    return [];
  }
  return [
    {
      name: "proxy",
      async run(signal) {
        const { runProxy } = await import("../../node/proxy/proxy.ts");
        const { defaultProxySettings } = await import("../../node/proxy/proxy.ts");
        await runProxy(
          {
            ...defaultProxySettings,
            node: name,
            mode,
            bindAddress: places.map(({ address }) => address),
            clusterCidr: settings.clusterCidr,
          },
          {
            client: node.membership.client,
            commands: systemCommands(),
            clock: systemClock,
            random: systemRandom,
            log,
            metrics,
            onStatus: onServices,
          },
          signal,
        );
      },
    },
  ];
}

/** The announcer of load balancer addresses that this node holds. */
function announcerOf({ log }: AgentSettings, node: NodeParts): Part {
  const commands = systemCommands();
  return {
    name: "announcer",
    async run(signal) {
      const { runAnnouncer } = await import("../../edge/balancer/balancer.ts");
      const { usualPeerPort } = await import("../../edge/balancer/balancer.ts");
      await runAnnouncer(
        {
          client: node.membership.client,
          nodeName: node.name,
          commands,
          ip: systemIp(commands),
          nft: systemNft(commands),
          peerPort: usualPeerPort,
          clock: systemClock,
          random: systemRandom,
          log,
          metrics: node.metrics,
        },
        signal,
      );
    },
  };
}
