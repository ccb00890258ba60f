import { join } from "node:path";
import { defineCommand } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { healthOptions, openHealthServer } from "../../base/program/health-server.system.ts";
import { Registry } from "../../base/program/metrics.ts";
import { directoryPath, filePath, listOf, text } from "../../base/program/option-types.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
import { runAll } from "../../base/program/run-all.ts";
import { findAccess } from "../../programs/connect/connect.ts";

/** The directory of the programs that are compiled, the plugin among them. */
const builtPrograms = join(import.meta.dirname, "../../../build");

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
    {
      does: "Bring the plugin to the machine, in place of whereabouts, and serve it: in a pod on every node",
      command:
        "tandem ipam serve --plugin-dir /opt/cni/bin --plugin-names tandem-ipam,whereabouts --kubeconfig-out /etc/cni/net.d/whereabouts.d/whereabouts.kubeconfig",
    },
  ],
  options: {
    socket: {
      type: filePath(),
      env: "TANDEM_IPAM_SOCKET",
      help: "Where to listen; the usual place of this network namespace when not given.",
    },
    pluginDir: {
      type: directoryPath(),
      help: "Puts the plugin into this directory of CNI plugins first; nowhere when not given.",
    },
    pluginNames: {
      type: listOf(text("NAME")),
      default: "tandem-ipam",
      help: "The names that networks know the plugin by, with --plugin-dir.",
    },
    kubeconfigOut: {
      type: filePath(),
      help: "Keeps a kubeconfig with this pod's service account there, for the plugin, and whereabouts.conf beside it where there is none.",
    },
    ...healthOptions(10268),
  },
  async run({ options, env, log, signal }) {
    const { IpamDaemon, installPlugin, meetAtSocket, openOwnAccount, usualSocket } = await import(
      "../../node/ipam/ipam.ts"
    );
    const path = options.socket ?? usualSocket(env);
    const meeting = meetAtSocket(path, systemRandom);
    if (meeting === undefined) {
      throw new Error(
        `Cannot serve at ${path}: its directory must be root's or ours, and no others'`,
      );
    }
    const { pluginDir: target, pluginNames: names, kubeconfigOut } = options;
    if (target !== undefined) {
      await installPlugin({ source: builtPrograms, target, names }, systemCommands(), { signal });
      log.info("put the plugin into its place", { directory: target, names });
    }
    const account =
      kubeconfigOut === undefined
        ? []
        : [
            await openOwnAccount({
              path: kubeconfigOut,
              access: await findAccess({}, env),
              files: systemFiles,
              clock: systemClock,
              log,
            }),
          ];
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
    await runAll([daemon, health, ...account], signal);
  },
});
