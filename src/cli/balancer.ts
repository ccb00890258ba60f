import { hostname } from "node:os";
import { defineCommand } from "../base/command-line/command.ts";
import { systemClock } from "../base/host/clock.system.ts";
import { systemCommands } from "../base/host/command.system.ts";
import { systemIp } from "../base/host/ip.system.ts";
import { systemNft } from "../base/host/nft.system.ts";
import { systemRandom } from "../base/host/random.system.ts";
import { healthOptions, openHealthServer } from "../base/program/health-server.system.ts";
import { Registry } from "../base/program/metrics.ts";
import { port, text } from "../base/program/option-types.ts";
import { registerProcessMetrics } from "../base/program/process-metrics.system.ts";
import { runAll } from "../base/program/run-all.ts";
import { runAnnouncer, usualPeerPort } from "../edge/balancer/balancer.ts";
import { connectToApi, kubeconfigOptions } from "../programs/connect/connect.ts";

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
