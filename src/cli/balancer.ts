import { hostname } from "node:os";
import { usualPeerPort } from "../balancer/announce/peers.ts";
import { runAnnouncer } from "../balancer/announce/run-announcer.ts";
import { systemClock } from "../host/clock.system.ts";
import { systemCommands } from "../host/command.system.ts";
import { systemIp } from "../host/ip.system.ts";
import { systemNft } from "../host/nft.system.ts";
import { systemRandom } from "../host/random.system.ts";
import { healthOptions, openHealthServer } from "../program/health-server.ts";
import { Registry } from "../program/metrics.ts";
import { port, text } from "../program/option-types.ts";
import { registerProcessMetrics } from "../program/process-metrics.ts";
import { runAll } from "../program/run-all.ts";
import { connectToApi, kubeconfigOptions } from "./connect.ts";
import { defineCommand } from "./frame/command.ts";

export const command = defineCommand({
  description:
    "Keep a node's part in the addresses of services of type LoadBalancer: each address is on one of " +
    "the nodes that run this, which answers for it on its LAN, and on another one when that is gone.\n\n" +
    "What arrives there has to be translated to endpoints, which is the service proxy's task.",
  examples: [{ does: "Announce on this node", command: "tandem balancer announce" }],
  options: {
    ...kubeconfigOptions,
    node: { type: text("NAME"), help: "The name of this node; the host's name when not given." },
    peerPort: {
      type: port(),
      default: usualPeerPort,
      help: "Where nodes ask each other whether they reach the API; the same on all of them.",
    },
    ...healthOptions(10265),
  },
  async run({ options, env, log, signal }) {
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const client = await connectToApi(options, { component: "tandem-balancer", env, metrics });
    const commands = systemCommands();
    const { node: nodeName = hostname().toLowerCase(), peerPort } = options;
    const health = await openHealthServer({ listen: options.healthAddress, metrics });
    const announcer = {
      name: "announcer",
      run: (stop: AbortSignal) =>
        runAnnouncer(
          {
            client,
            nodeName,
            commands,
            ip: systemIp(commands),
            nft: systemNft(commands),
            peerPort,
            clock: systemClock,
            random: systemRandom,
            log,
            metrics,
          },
          stop,
        ),
    };
    try {
      await runAll([announcer, health], signal);
    } finally {
      client.transport.close();
    }
  },
});
