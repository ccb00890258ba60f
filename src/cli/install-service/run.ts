import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Informers } from "../../api/client/informer.ts";
import { defineCommand } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemLocks } from "../../base/host/lock.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { Registry } from "../../base/program/metrics.ts";
import { listenList } from "../../base/program/network-option-types.ts";
import { boolean, filePath } from "../../base/program/option-types.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
import { runAll } from "../../base/program/run-all.ts";
import {
  ensureDefinitions,
  installController,
  openInstallService,
} from "../../install/service/service.ts";
import { connectToApi, kubeconfigOptions } from "../../programs/connect/connect.ts";
import { databaseOptions } from "./options.ts";

export const command = defineCommand({
  description: `Run the install service: a REST API for clusters that are to be installed, with their virtual addresses and networks.

The database is brought to its latest form first. What the service can be asked for is described at /openapi.json; health and metrics are served beside it.`,
  examples: [
    { does: "Serve on loopback, with SQLite", command: "tandem install-service run" },
    {
      does: "Keep clusters in step with AgentClusterInstall objects, too",
      command: "tandem install-service run --kubernetes",
    },
    {
      does: "Serve everybody who has the token, with PostgreSQL",
      command:
        "tandem install-service run --listen :8090 --token-file ./token --database postgres://tandem@db/install",
    },
  ],
  options: {
    ...databaseOptions,
    ...kubeconfigOptions,
    kubernetes: {
      type: boolean(),
      default: false,
      help: "Keep clusters in step with AgentClusterInstall objects; the kind is made when missing.",
    },
    listen: {
      type: listenList(),
      default: "localhost:8090",
      help: "Addresses to serve on, of either family.",
    },
    tokenFile: {
      type: filePath(),
      help: "A file with the bearer token that every request must have.",
    },
  },
  async run({ options, env, log, signal }) {
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const { tokenFile, database, listen } = options;
    const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, "utf8")).trim();
    if (token === "") throw new Error(`Cannot use the token of ${tokenFile}: the file is empty`);
    const now = () => new Date();
    const newId = () => randomUUID();
    const service = await openInstallService({
      database,
      listen,
      token,
      isKubernetesKept: options.kubernetes,
      locks: systemLocks(systemCommands()),
      now,
      newId,
      log,
      metrics,
    });
    log.info("serving", { addresses: service.addresses.join(", ") });
    if (!options.kubernetes) return runAll([service], signal);
    const client = await connectToApi(options, { component: "tandem-install", env, metrics });
    await ensureDefinitions(client, signal);
    const settings = { clock: systemClock, random: systemRandom, log, metrics };
    const informers = new Informers(settings);
    const controller = installController({ ...settings, client, informers, store: service.store });
    const following = { name: "informers", run: (stop: AbortSignal) => informers.run(stop) };
    await runAll([service, following, controller], signal);
  },
});
