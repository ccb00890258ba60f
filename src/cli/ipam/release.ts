import { defineCommand } from "../../base/command-line/command.ts";
import { address } from "../../base/program/network-option-types.ts";
import { repeated, text } from "../../base/program/option-types.ts";
import { releaseByHand, withStore } from "../../node/ipam/ipam.ts";
import { storeOptions } from "./options.ts";

export const command = defineCommand({
  description:
    "Release addresses by hand, whoever holds them.\n\n" +
    "A pod that is alive keeps using its address, so be sure that it is not: 'tandem ipam reconcile' " +
    "releases only what no living pod needs. The exit code is 1 when an address was not reserved.",
  examples: [
    { does: "Release two addresses", command: "tandem ipam release 10.60.0.7 fd60::7" },
    { does: "Release all that a pod holds", command: "tandem ipam release --owner default/web-0" },
  ],
  options: {
    ...storeOptions,
    owner: {
      type: text("NAMESPACE/NAME"),
      env: false,
      key: false,
      help: "Release all that this pod holds.",
    },
    network: {
      type: text("NAME"),
      env: false,
      key: false,
      help: "Only in the network of this name.",
    },
  },
  args: { addresses: { type: repeated(address()), help: "The addresses to release." } },
  async run({ options, args, stdout, stderr }) {
    const { owner, network, ...store } = options;
    const wish = { addresses: args.addresses ?? [], owner, network };
    if (wish.addresses.length === 0 && owner === undefined) {
      stderr.write("Cannot release: neither an address nor --owner is given\n");
      return 2;
    }
    const { released, missing } = await withStore(store, (datastore) =>
      releaseByHand(datastore, wish),
    );
    for (const { address: one, owner: from, pool } of released) {
      stdout.write(`released ${one.toString()} of ${from} from ${pool.name}\n`);
    }
    for (const one of missing) stderr.write(`${one.toString()} was not reserved\n`);
    return missing.length > 0 ? 1 : 0;
  },
});
