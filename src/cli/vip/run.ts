import { hostname } from "node:os";
import { Informers } from "../../api/client/informer.ts";
import { defineCommand } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { defined } from "../../base/json/defined.ts";
import { healthOptions, openHealthServer } from "../../base/program/health-server.system.ts";
import { Registry } from "../../base/program/metrics.ts";
import { directoryPath, port, text } from "../../base/program/option-types.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
import { runAll } from "../../base/program/run-all.ts";
import { ApiSource, defaultSettings, VipRuntime } from "../../edge/vip/vip.ts";
import { connectToApi } from "../../programs/connect/connect.ts";
import { apiOptions } from "./options.ts";

export const command = defineCommand({
  description: `Keep a node's part in the virtual addresses of the cluster: keepalived moves them between nodes, and haproxy balances the API behind them on nodes of the control plane.

Nodes and VIPs are followed through the API; configurations are validated before they are put into force, and the last good ones stay when something is wrong.`,
  examples: [
    { does: "Run on this node", command: "tandem vip run" },
    {
      does: "Run with another check of ingress",
      command: "tandem vip run --ingress-check-port 1936 --ingress-check-path /healthz/ready",
    },
  ],
  options: {
    ...apiOptions,
    node: { type: text("NAME"), help: "The name of this node; the host's name when not given." },
    directory: {
      type: directoryPath(),
      default: "/var/lib/tandem/vip",
      help: "Where configurations are kept.",
    },
    apiPort: { type: port(), default: 6443, help: "Where API servers and VIPs serve the API." },
    balancerPort: { type: port(), default: 9445, help: "Where haproxy listens on every node." },
    balancerHealthPort: {
      type: port(),
      default: 9454,
      help: "Where haproxy tells on loopback whether it reaches an API server.",
    },
    ingressCheckPort: { type: port(), default: 80, help: "Where ingress of this node is asked." },
    ingressCheckPath: {
      type: text("PATH"),
      help: "What it is asked for; a connection is enough when not given.",
    },
    ...healthOptions(10263),
  },
  async run({ options, env, log, signal }) {
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const client = await connectToApi(options, { component: "tandem-vip", env, metrics });
    const settings = { clock: systemClock, random: systemRandom, log, metrics };
    const informers = new Informers(settings);
    const commands = systemCommands();
    const node = options.node ?? hostname();
    const { clusterName, ingressSelector, ingressCheckPath } = options;
    const runtime = new VipRuntime({
      node,
      source: new ApiSource({ client, informers, node, clusterName, ingressSelector }),
      machine: {
        commands,
        files: systemFiles,
        ip: systemIp(commands),
        nft: systemNft(commands),
        clock: systemClock,
      },
      settings: {
        ...defaultSettings,
        apiPort: options.apiPort,
        balancerPort: options.balancerPort,
        healthPort: options.balancerHealthPort,
        ingressCheck: {
          port: options.ingressCheckPort,
          ...defined({ path: ingressCheckPath }),
        },
      },
      directory: options.directory,
      log,
      metrics,
    });
    const health = await openHealthServer({ listen: options.healthAddress, metrics });
    const following = { name: "informers", run: (stop: AbortSignal) => informers.run(stop) };
    await runAll([following, runtime, health], signal);
  },
});
