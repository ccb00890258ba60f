// A node's part in services: their translation, and the addresses of load balancers.
import { systemClock } from "../host/clock.system.ts";
import { systemCommands } from "../host/command.system.ts";
import { systemIp } from "../host/ip.system.ts";
import { systemNft } from "../host/nft.system.ts";
import { systemRandom } from "../host/random.system.ts";
import type { Part } from "../program/run-all.ts";
import type { AgentSettings, NodeParts } from "./run-agent-settings.ts";

export function servicesOf(settings: AgentSettings, node: NodeParts): readonly Part[] {
  return [...proxyOf(settings, node), announcerOf(settings, node)];
}

/** The service proxy, unless somebody else is it. */
function proxyOf(settings: AgentSettings, node: NodeParts): readonly Part[] {
  const { proxyMode: mode, log } = settings;
  if (mode === "none") return [];
  const { name, metrics, places } = node;
  return [
    {
      name: "proxy",
      async run(signal) {
        const { runProxy } = await import("../proxy/run-proxy.ts");
        const { defaultProxySettings } = await import("../proxy/settings.ts");
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
          },
          signal,
        );
      },
    },
  ];
}

/** This node's part in the addresses of load balancers. */
function announcerOf({ log }: AgentSettings, node: NodeParts): Part {
  const commands = systemCommands();
  return {
    name: "announcer",
    async run(signal) {
      const { runAnnouncer } = await import("../balancer/announce/run-announcer.ts");
      const { usualPeerPort } = await import("../balancer/announce/peers.ts");
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
