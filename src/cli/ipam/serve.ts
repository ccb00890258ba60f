import { defineCommand } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { healthOptions, openHealthServer } from "../../base/program/health-server.system.ts";
import { Registry } from "../../base/program/metrics.ts";
import { filePath } from "../../base/program/option-types.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
import { runAll } from "../../base/program/run-all.ts";

export const command = defineCommand({
  description:
    "Do the work of every tandem-ipam on this machine.\n\n" +
    "The plugin hands what a CNI runtime asks to this program, which has the datastores open and stores " +
    "together what comes at the same time. Nothing depends on it: while it is away, the plugin does the work " +
    "itself. It serves the network namespace it runs in, and should see the files that network " +
    "configurations name.",
  examples: [
    { does: "Serve this machine", command: "tandem ipam serve" },
    {
      does: "Serve at another place, which the plugin finds through TANDEM_IPAM_SOCKET",
      command: "tandem ipam serve --socket /run/ipam/tandem.sock",
    },
  ],
  options: {
    socket: {
      type: filePath(),
      env: "TANDEM_IPAM_SOCKET",
      help: "Where to listen; the usual place of this network namespace when not given.",
    },
    ...healthOptions(10268),
  },
  async run({ options, env, log, signal }) {
    const { IpamDaemon } = await import("../../node/ipam/ipam.ts");
    const { meetAtSocket, usualSocket } = await import("../../node/ipam/ipam.ts");
    const path = options.socket ?? usualSocket(env);
    const meeting = meetAtSocket(path, systemRandom);
    if (meeting === undefined) {
      throw new Error(
        `Cannot serve at ${path}: its directory must be root's or ours, and no others'`,
      );
    }
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const daemon = new IpamDaemon({ meeting, clock: systemClock, log, metrics });
    const ready = {
      name: "socket",
      check: () => {
        if (!daemon.isServing) throw new Error(`Cannot serve at ${path}: another does`);
      },
    };
    const health = await openHealthServer({
      listen: options.healthAddress,
      metrics,
      ready: [ready],
    });
    await runAll([daemon, health], signal);
  },
});
