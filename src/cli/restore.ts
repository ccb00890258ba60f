import { defineCommand } from "../base/command-line/command.ts";
import { boolean, directoryPath, filePath, text } from "../base/program/option-types.ts";

export const command = defineCommand({
  description:
    "Restore a cluster from a backup.\n\n" +
    "The server must not be running. All of the file is verified before anything is changed. Restored into " +
    "the embedded store, a cluster goes on with the resource versions it had, and clients begin their watches " +
    "anew; on etcd, objects get new resource versions, so agents and other programs have to be restarted.",
  examples: [
    { does: "Restore onto a new machine", command: "tandem restore ./cluster.backup" },
    {
      does: "Go back to what was, and put the present store aside",
      command: "tandem restore --replace ./cluster.backup",
    },
    { does: "See whether a backup is whole", command: "tandem restore --verify ./cluster.backup" },
  ],
  options: {
    dataDir: {
      type: directoryPath(),
      default: "/var/lib/tandem",
      help: "The data directory of the server.",
    },
    store: { type: text(), default: "embedded", help: "The store, as for 'tandem server'." },
    replace: {
      type: boolean(),
      default: false,
      env: false,
      help: "Replace a store that holds something: an embedded one is put aside, in etcd it is deleted.",
    },
    otherCluster: {
      type: boolean(),
      default: false,
      env: false,
      help: "Let the data directory of one cluster's server become another's.",
    },
    verify: {
      type: boolean(),
      default: false,
      env: false,
      help: "Only read the backup to its end, and tell what it is.",
    },
  },
  args: { file: { type: filePath(), required: true, help: "The backup." } },
  async run({ options, args, stdout }) {
    const { restore, verifyBackup } = await import("../programs/backup/backup.ts");
    const { head, count } = options.verify
      ? await verifyBackup(args.file)
      : await restore({ ...options, ...args, now: () => new Date() });
    const done = options.verify ? "is whole" : "was restored";
    stdout.write(
      `The backup of ${head.time} ${done}: ${count} entries at revision ${head.revision}, ` +
        `by Tandem ${head.version}, of the cluster ${head.cluster}\n`,
    );
  },
});
