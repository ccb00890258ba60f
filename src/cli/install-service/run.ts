import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { openInstallService } from "../../install/service/program.ts";
import { Registry } from "../../program/metrics.ts";
import { listenList } from "../../program/network-option-types.ts";
import { filePath } from "../../program/option-types.ts";
import { registerProcessMetrics } from "../../program/process-metrics.ts";
import { runAll } from "../../program/run-all.ts";
import { defineCommand } from "../frame/command.ts";
import { databaseOptions } from "./options.ts";

export const command = defineCommand({
  description: `Run the install service: a REST API for clusters that are to be installed, with their virtual addresses and networks.

The database is brought to its latest form first. What the service can be asked for is described at /openapi.json; health and metrics are served beside it.`,
  examples: [
    { does: "Serve on loopback, with SQLite", command: "tandem install-service run" },
    {
      does: "Serve everybody who has the token, with PostgreSQL",
      command:
        "tandem install-service run --listen :8090 --token-file ./token --database postgres://tandem@db/install",
    },
  ],
  options: {
    ...databaseOptions,
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
  async run({ options, log, signal }) {
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const { tokenFile, database, listen } = options;
    const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, "utf8")).trim();
    if (token === "") throw new Error(`Cannot use the token of ${tokenFile}: the file is empty`);
    const now = () => new Date();
    const newId = () => randomUUID();
    const service = await openInstallService({ database, listen, token, now, newId, log, metrics });
    log.info("serving", { addresses: service.addresses.join(", ") });
    await runAll([service], signal);
  },
});
