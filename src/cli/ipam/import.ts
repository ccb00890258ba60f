import { readFile } from "node:fs/promises";
import { defineCommand } from "../../base/command-line/command.ts";
import { filePath, repeated } from "../../base/program/option-types.ts";
import { importReservations, readPools, withStore } from "../../node/ipam/ipam.ts";
import { storeOptions } from "./options.ts";

export const command = defineCommand({
  description:
    "Take over the allocations of existing whereabouts pools into a datastore.\n\n" +
    "Reads IPPool objects as 'kubectl get ippools -A -o yaml' prints them. The datastore kubernetes needs " +
    "no import: it uses such pools where they are. What is reserved already stays; addresses that somebody " +
    "else has are named, and the exit code is 1.",
  examples: [
    {
      does: "Take pools over into the datastore of this machine",
      command: "tandem ipam import pools.yaml",
    },
    {
      does: "Take them over into etcd",
      command: "tandem ipam import pools.yaml --etcd 10.0.0.5:2379",
    },
  ],
  options: storeOptions,
  args: {
    files: { type: repeated(filePath()), required: true, help: "YAML or JSON with IPPools." },
  },
  async run({ options, args, stdout, stderr }) {
    const { parseAllDocuments } = await import("yaml");
    const texts = await Promise.all(args.files.map((file) => readFile(file, "utf8")));
    const documents = texts.flatMap((text) =>
      parseAllDocuments(text).map((one) => one.toJS() as unknown),
    );
    const reservations = readPools(documents);
    const report = await withStore(options, (datastore) =>
      importReservations(datastore, reservations),
    );
    const { imported, present, refused } = report;
    stdout.write(`${imported.length} imported, ${present.length} were there already\n`);
    for (const { address, owner } of refused) {
      stderr.write(`${address.toString()} of ${owner} is refused: somebody else has it\n`);
    }
    return refused.length > 0 ? 1 : 0;
  },
});
