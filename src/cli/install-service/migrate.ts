import { defineCommand } from "../../base/command-line/command.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemLocks } from "../../base/host/lock.system.ts";
import { oneOf } from "../../base/program/option-types.ts";
import type { Finding } from "../../install/service/service.ts";
import {
  migrate,
  migrationNames,
  openDatabase,
  useDatabase,
} from "../../install/service/service.ts";
import { databaseOptions } from "./options.ts";

export const command = defineCommand({
  description: `Bring the database of the install service to a form, forward or back; the service itself goes to the latest one when it starts.

Nothing is lost on either way: second VIPs have no place in the form of 0001-clusters and are set aside until the lists are back, and so is what is no address. Both are printed.`,
  examples: [
    { does: "Go to the latest form", command: "tandem install-service migrate" },
    {
      does: "Go back, for a version that knows one VIP for each use",
      command: "tandem install-service migrate --to 0001-clusters",
    },
  ],
  options: {
    ...databaseOptions,
    to: {
      type: oneOf(migrationNames, "MIGRATION"),
      env: false,
      help: "The last migration that is to be in force; the latest one when not given.",
    },
  },
  async run({ options, stdout }) {
    const { database } = options;
    const locks = systemLocks(systemCommands());
    await using alone = await useDatabase(database, { locks, isShared: false, timeoutMs: 0 });
    if (alone === undefined) {
      throw new Error("Cannot migrate the database: a service uses it; stop that first");
    }
    const db = openDatabase(database);
    try {
      const { done, findings } = await migrate(db, options.to);
      for (const { name, direction } of done) {
        stdout.write(`${name} ${direction === "Up" ? "done" : "undone"}\n`);
      }
      for (const finding of findings) stdout.write(`${sentence(finding)}\n`);
      if (done.length === 0) stdout.write("nothing to do\n");
    } finally {
      await db.destroy();
    }
  },
});

function sentence({ cluster, use, text, problem }: Finding): string {
  return `cluster ${cluster}: ${use} VIP ${JSON.stringify(text)} ${problem}`;
}
