import { defineCommand } from "../base/command-line/command.ts";
import { boolean, directoryPath } from "../base/program/option-types.ts";
import { nameOption } from "./cluster-name.ts";

export const command = defineCommand({
  description:
    "Take the cluster on this machine down. Nothing of it is left: neither processes, namespaces, " +
    "mounts, cgroups nor files, whatever state it was in.",
  examples: [
    { does: "Take the cluster down", command: "tandem down" },
    { does: "Stop it, to bring it up again later as it was", command: "tandem down --keep-data" },
  ],
  options: {
    ...nameOption,
    keepData: {
      type: boolean(),
      default: false,
      env: false,
      help: "Keep its objects, images and volumes, so that 'tandem up' continues where it was.",
    },
    dataDir: {
      type: directoryPath(),
      help: "Where the cluster is kept, when it is not running and not in the usual place.",
    },
  },
  async run({ options, stdout, env }) {
    const { clusterMachine, asOwner } = await import("../programs/up/up.ts");
    const { takeDown } = await import("../programs/up/up.ts");
    const { cleanHost } = await import("../programs/up/up.ts");
    const { systemClock } = await import("../base/host/clock.system.ts");
    const { name, keepData } = options;
    const machine = await clusterMachine(env);
    const wasThere = await takeDown(
      { name, keepData, dataDir: options.dataDir ?? machine.dataDirectory(name) },
      {
        ...machine,
        clock: systemClock,
        asOwner: asOwner(machine),
        cleanHost: () => cleanHost(machine, name),
      },
    );
    stdout.write(wasThere ? `Cluster ${name} is down.\n` : `There is no cluster ${name}.\n`);
  },
});
